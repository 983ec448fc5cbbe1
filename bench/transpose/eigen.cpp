// bench/transpose/eigen.cpp -- Eigen's arrays, on one thread, and its tensors.

#include "support/eigen.hpp"
#include "workload.hpp"

namespace {

struct arrays {
    bench::eigen_matrix<float> x, y;

    arrays(transpose& p, int) : x(p.x.data(), p.rows, p.columns), y(p.y.data(), p.columns, p.rows) {}
    void run() { y = x.transpose() + 1; }
};

struct tensors {
    bench::eigen_tensor<float, 2> x, y;
    const Eigen::ThreadPoolDevice& device;

    tensors(transpose& p, int threads)
        : x(p.x.data(), p.rows, p.columns), y(p.y.data(), p.columns, p.rows), device(bench::eigen_device(threads)) {}
    void run() { y.device(device) = x.shuffle(Eigen::array<int, 2>{1, 0}) + 1.f; }
};

const bool added = bench::add<arrays, transpose>("eigen") && bench::add<tensors, transpose>("eigen-tensor");

} // namespace

// bench/sum_columns/eigen.cpp -- Eigen's arrays, on one thread, and its tensors.

#include "support/eigen.hpp"
#include "workload.hpp"

namespace {

struct arrays {
    bench::eigen_matrix<float> x;
    bench::eigen_array<float> y;

    arrays(sum_columns& p, int) : x(p.x.data(), p.rows, p.columns), y(p.y.data(), p.y.size()) {}
    void run() { y = x.colwise().sum().transpose(); }
};

struct tensors {
    bench::eigen_tensor<float, 2> x;
    bench::eigen_tensor<float, 1> y;
    const Eigen::ThreadPoolDevice& device;

    tensors(sum_columns& p, int threads)
        : x(p.x.data(), p.rows, p.columns), y(p.y.data(), p.y.size()), device(bench::eigen_device(threads)) {}
    void run() { y.device(device) = x.sum(Eigen::array<int, 1>{0}); }
};

const bool added = bench::add<arrays, sum_columns>("eigen") && bench::add<tensors, sum_columns>("eigen-tensor");

} // namespace

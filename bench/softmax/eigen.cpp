// bench/softmax/eigen.cpp -- Eigen's arrays, on one thread, and its tensors.

#include "support/eigen.hpp"
#include "workload.hpp"

namespace {

struct arrays {
    bench::eigen_matrix<float> x, y;

    arrays(softmax& p, int) : x(p.x.data(), p.rows, p.columns), y(p.y.data(), p.rows, p.columns) {}
    void run() {
        y = (x.colwise() - x.rowwise().maxCoeff()).exp();
        y.colwise() /= y.rowwise().sum().eval();
    }
};

struct tensors {
    bench::eigen_tensor<float, 2> x, y;
    const Eigen::ThreadPoolDevice& device;

    tensors(softmax& p, int threads)
        : x(p.x.data(), p.rows, p.columns), y(p.y.data(), p.rows, p.columns), device(bench::eigen_device(threads)) {}
    void run() {
        const Eigen::array<int, 1> along{1};
        const Eigen::array<Eigen::Index, 2> column{x.dimension(0), 1}, across{1, x.dimension(1)};
        y.device(device) = (x - x.maximum(along).eval().reshape(column).broadcast(across)).exp();
        y.device(device) = y / y.sum(along).eval().reshape(column).broadcast(across);
    }
};

const bool added = bench::add<arrays, softmax>("eigen") && bench::add<tensors, softmax>("eigen-tensor");

} // namespace

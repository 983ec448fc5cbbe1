// bench/mean_var/eigen.cpp -- Eigen's arrays, on one thread, and its tensors.

#include "support/eigen.hpp"
#include "workload.hpp"

namespace {

struct arrays {
    bench::eigen_matrix<float> x;
    bench::eigen_array<float> mean, variance;

    arrays(mean_var& p, int)
        : x(p.x.data(), p.rows, p.columns), mean(p.y.data(), p.rows), variance(p.y.data() + p.rows, p.rows) {}
    void run() {
        mean = x.rowwise().mean();
        variance = (x.colwise() - mean).square().rowwise().mean();
    }
};

struct tensors {
    bench::eigen_tensor<float, 2> x;
    bench::eigen_tensor<float, 1> mean;
    Eigen::TensorMap<Eigen::Tensor<float, 1, Eigen::RowMajor, Eigen::Index>> variance;
    const Eigen::ThreadPoolDevice& device;

    tensors(mean_var& p, int threads)
        : x(p.x.data(), p.rows, p.columns), mean(p.y.data(), p.rows), variance(p.y.data() + p.rows, p.rows),
          device(bench::eigen_device(threads)) {}
    void run() {
        const Eigen::array<int, 1> along{1};
        const Eigen::array<Eigen::Index, 2> column{x.dimension(0), 1}, across{1, x.dimension(1)};
        mean.device(device) = x.mean(along);
        variance.device(device) = (x - mean.reshape(column).broadcast(across)).square().mean(along);
    }
};

const bool added = bench::add<arrays, mean_var>("eigen") && bench::add<tensors, mean_var>("eigen-tensor");

} // namespace

// bench/exp/eigen.cpp -- Eigen's arrays, on one thread, and its tensors.

#include "support/eigen.hpp"
#include "workload.hpp"

namespace {

struct arrays {
    bench::eigen_array<float> x, y;

    arrays(exp_problem& p, int) : x(p.x.data(), p.x.size()), y(p.y.data(), p.y.size()) {}
    void run() { y = x.exp(); }
};

struct tensors {
    bench::eigen_tensor<float, 1> x, y;
    const Eigen::ThreadPoolDevice& device;

    tensors(exp_problem& p, int threads)
        : x(p.x.data(), p.x.size()), y(p.y.data(), p.y.size()), device(bench::eigen_device(threads)) {}
    void run() { y.device(device) = x.exp(); }
};

const bool added = bench::add<arrays, exp_problem>("eigen") && bench::add<tensors, exp_problem>("eigen-tensor");

} // namespace

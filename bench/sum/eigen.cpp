// bench/sum/eigen.cpp -- Eigen's arrays, on one thread, and its tensors.

#include "support/eigen.hpp"
#include "workload.hpp"

namespace {

struct arrays {
    sum& p;
    bench::eigen_array<float> x, z;

    arrays(sum& problem, int) : p(problem), x(p.x.data(), p.x.size()), z(p.z.data(), p.z.size()) {}
    void run() { p.y[0] = (x * z).sum(); }
};

struct tensors {
    bench::eigen_tensor<float, 1> x, z;
    bench::eigen_tensor<float, 0> y;
    const Eigen::ThreadPoolDevice& device;

    tensors(sum& p, int threads)
        : x(p.x.data(), p.x.size()), z(p.z.data(), p.z.size()), y(p.y.data()), device(bench::eigen_device(threads)) {}
    void run() { y.device(device) = (x * z).sum(); }
};

const bool added = bench::add<arrays, sum>("eigen") && bench::add<tensors, sum>("eigen-tensor");

} // namespace

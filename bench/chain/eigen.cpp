// bench/chain/eigen.cpp -- Eigen's arrays, on one thread, and its tensors.

#include "support/eigen.hpp"
#include "workload.hpp"

namespace {

struct arrays {
    bench::eigen_array<float> x, y;

    arrays(chain& p, int) : x(p.x.data(), p.x.size()), y(p.y.data(), p.y.size()) {}
    void run() { y = CHAIN_20(x); }
};

struct tensors {
    bench::eigen_tensor<float, 1> x, y;
    const Eigen::ThreadPoolDevice& device;

    tensors(chain& p, int threads)
        : x(p.x.data(), p.x.size()), y(p.y.data(), p.y.size()), device(bench::eigen_device(threads)) {}
    void run() { y.device(device) = CHAIN_20(x); }
};

const bool added = bench::add<arrays, chain>("eigen") && bench::add<tensors, chain>("eigen-tensor");

} // namespace

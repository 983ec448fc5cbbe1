// bench/cast/eigen.cpp -- Eigen's arrays, on one thread, and its tensors.

#include "support/eigen.hpp"
#include "workload.hpp"

namespace {

struct arrays {
    bench::eigen_array<std::uint8_t> x;
    bench::eigen_array<float> y;

    arrays(cast& p, int) : x(p.x.data(), p.x.size()), y(p.y.data(), p.y.size()) {}
    void run() { y = x.cast<float>() / 255; }
};

struct tensors {
    bench::eigen_tensor<std::uint8_t, 1> x;
    bench::eigen_tensor<float, 1> y;
    const Eigen::ThreadPoolDevice& device;

    tensors(cast& p, int threads)
        : x(p.x.data(), p.x.size()), y(p.y.data(), p.y.size()), device(bench::eigen_device(threads)) {}
    void run() { y.device(device) = x.cast<float>() / 255.f; }
};

const bool added = bench::add<arrays, cast>("eigen") && bench::add<tensors, cast>("eigen-tensor");

} // namespace

// bench/axpby/eigen.cpp -- Eigen's arrays, on one thread, and its tensors.

#include "support/eigen.hpp"
#include "workload.hpp"

namespace {

template <class T>
struct arrays {
    bench::eigen_array<T> x, z, y;
    T a, b, c;

    arrays(axpby<T>& p, int)
        : x(p.x.data(), p.x.size()), z(p.z.data(), p.z.size()), y(p.y.data(), p.y.size()), a(p.a), b(p.b), c(p.c) {}
    void run() { y = a * x + b * z + c; }
};

template <class T>
struct tensors {
    bench::eigen_tensor<T, 1> x, z, y;
    T a, b, c;
    const Eigen::ThreadPoolDevice& device;

    tensors(axpby<T>& p, int threads)
        : x(p.x.data(), p.x.size()), z(p.z.data(), p.z.size()), y(p.y.data(), p.y.size()), a(p.a), b(p.b), c(p.c),
          device(bench::eigen_device(threads)) {}
    void run() { y.device(device) = x * a + z * b + c; }
};

const bool added =
    bench::add<arrays<float>, axpby<float>>("eigen") && bench::add<tensors<float>, axpby<float>>("eigen-tensor") &&
    bench::add<arrays<double>, axpby<double>>("eigen") && bench::add<tensors<double>, axpby<double>>("eigen-tensor");

} // namespace

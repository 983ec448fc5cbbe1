// bench/axpby/xtensor.cpp -- xtensor.

#include "support/xtensor.hpp"
#include "workload.hpp"

namespace {

template <class T>
struct arrays {
    bench::xtensor<T, 1> x, z, y;
    T a, b, c;

    arrays(axpby<T>& p, int)
        : x(bench::xtensor_of(p.x)), z(bench::xtensor_of(p.z)), y(bench::xtensor_of(p.y)), a(p.a), b(p.b), c(p.c) {}
    void run() { xt::noalias(y) = a * x + b * z + c; }
};

const bool added =
    bench::add<arrays<float>, axpby<float>>("xtensor") && bench::add<arrays<double>, axpby<double>>("xtensor");

} // namespace

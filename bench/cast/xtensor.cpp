// bench/cast/xtensor.cpp -- xtensor.

#include "support/xtensor.hpp"
#include "workload.hpp"

namespace {

struct arrays {
    bench::xtensor<std::uint8_t, 1> x;
    bench::xtensor<float, 1> y;

    arrays(cast& p, int) : x(bench::xtensor_of(p.x)), y(bench::xtensor_of(p.y)) {}
    void run() { xt::noalias(y) = xt::cast<float>(x) / 255.f; }
};

const bool added = bench::add<arrays, cast>("xtensor");

} // namespace

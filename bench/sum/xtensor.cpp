// bench/sum/xtensor.cpp -- xtensor.

#include "support/xtensor.hpp"
#include "workload.hpp"

namespace {

struct arrays {
    sum& p;
    bench::xtensor<float, 1> x, z;

    arrays(sum& problem, int) : p(problem), x(bench::xtensor_of(p.x)), z(bench::xtensor_of(p.z)) {}
    void run() { p.y[0] = xt::sum(x * z, xt::evaluation_strategy::immediate)(); }
};

const bool added = bench::add<arrays, sum>("xtensor");

} // namespace

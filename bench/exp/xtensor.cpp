// bench/exp/xtensor.cpp -- xtensor.

#include "support/xtensor.hpp"
#include "workload.hpp"

namespace {

struct arrays {
    bench::xtensor<float, 1> x, y;

    arrays(exp_problem& p, int) : x(bench::xtensor_of(p.x)), y(bench::xtensor_of(p.y)) {}
    void run() { xt::noalias(y) = xt::exp(x); }
};

const bool added = bench::add<arrays, exp_problem>("xtensor");

} // namespace

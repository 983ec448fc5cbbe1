// bench/sum_columns/xtensor.cpp -- xtensor.

#include "support/xtensor.hpp"
#include "workload.hpp"

namespace {

struct arrays {
    bench::xtensor<float, 2> x;
    bench::xtensor<float, 1> y;

    arrays(sum_columns& p, int) : x(bench::xtensor_of(p.x, p.rows, p.columns)), y(bench::xtensor_of(p.y)) {}
    void run() { xt::noalias(y) = xt::sum(x, {0}, xt::evaluation_strategy::immediate); }
};

const bool added = bench::add<arrays, sum_columns>("xtensor");

} // namespace

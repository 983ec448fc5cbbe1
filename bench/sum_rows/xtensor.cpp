// bench/sum_rows/xtensor.cpp -- xtensor.

#include "support/xtensor.hpp"
#include "workload.hpp"

namespace {

struct arrays {
    bench::xtensor<float, 2> x;
    bench::xtensor<float, 1> y;

    arrays(sum_rows& p, int) : x(bench::xtensor_of(p.x, p.rows, p.columns)), y(bench::xtensor_of(p.y)) {}
    void run() { xt::noalias(y) = xt::sum(x, {1}, xt::evaluation_strategy::immediate); }
};

const bool added = bench::add<arrays, sum_rows>("xtensor");

} // namespace

// bench/chain/xtensor.cpp -- xtensor.

#include "support/xtensor.hpp"
#include "workload.hpp"

namespace {

struct arrays {
    bench::xtensor<float, 1> x, y;

    arrays(chain& p, int) : x(bench::xtensor_of(p.x)), y(bench::xtensor_of(p.y)) {}
    void run() { xt::noalias(y) = CHAIN_20(x); }
};

const bool added = bench::add<arrays, chain>("xtensor");

} // namespace

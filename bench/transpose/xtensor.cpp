// bench/transpose/xtensor.cpp -- xtensor.

#include "support/xtensor.hpp"
#include "workload.hpp"

namespace {

struct arrays {
    bench::xtensor<float, 2> x, y;

    arrays(transpose& p, int)
        : x(bench::xtensor_of(p.x, p.rows, p.columns)), y(bench::xtensor_of(p.y, p.columns, p.rows)) {}
    void run() { xt::noalias(y) = xt::transpose(x) + 1.f; }
};

const bool added = bench::add<arrays, transpose>("xtensor");

} // namespace

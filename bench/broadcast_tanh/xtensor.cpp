// bench/broadcast_tanh/xtensor.cpp -- xtensor.

#include "support/xtensor.hpp"
#include "workload.hpp"

namespace {

struct arrays {
    bench::xtensor<float, 2> row, column, y;

    arrays(broadcast_tanh& p, int)
        : row(bench::xtensor_of(p.row, 1, p.columns)), column(bench::xtensor_of(p.column, p.rows, 1)),
          y(bench::xtensor_of(p.y, p.rows, p.columns)) {}
    void run() { xt::noalias(y) = xt::tanh(row + column); }
};

const bool added = bench::add<arrays, broadcast_tanh>("xtensor");

} // namespace

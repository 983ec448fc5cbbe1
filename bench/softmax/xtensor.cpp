// bench/softmax/xtensor.cpp -- xtensor.

#include "support/xtensor.hpp"
#include "workload.hpp"

namespace {

struct arrays {
    bench::xtensor<float, 2> x, y;

    arrays(softmax& p, int)
        : x(bench::xtensor_of(p.x, p.rows, p.columns)), y(bench::xtensor_of(p.y, p.rows, p.columns)) {}
    void run() {
        const xt::xtensor<float, 1> top = xt::amax(x, {1}, xt::evaluation_strategy::immediate);
        xt::noalias(y) = xt::exp(x - xt::view(top, xt::all(), xt::newaxis()));
        const xt::xtensor<float, 1> sum = xt::sum(y, {1}, xt::evaluation_strategy::immediate);
        y /= xt::view(sum, xt::all(), xt::newaxis());
    }
};

const bool added = bench::add<arrays, softmax>("xtensor");

} // namespace

// bench/mean_var/xtensor.cpp -- xtensor.

#include "support/xtensor.hpp"
#include "workload.hpp"

namespace {

struct arrays {
    mean_var& p;
    bench::xtensor<float, 2> x;
    xt::xtensor<float, 1> mean, variance;

    arrays(mean_var& problem, int) : p(problem), x(bench::xtensor_of(p.x, p.rows, p.columns)) {}
    void run() {
        mean = xt::mean(x, {1}, xt::evaluation_strategy::immediate);
        variance =
            xt::mean(xt::square(x - xt::view(mean, xt::all(), xt::newaxis())), {1}, xt::evaluation_strategy::immediate);
    }
    void deliver() {
        std::copy(mean.begin(), mean.end(), p.y.data());
        std::copy(variance.begin(), variance.end(), p.y.data() + p.rows);
    }
};

const bool added = bench::add<arrays, mean_var>("xtensor");

} // namespace

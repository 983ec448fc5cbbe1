// bench/exp/armadillo.cpp -- Armadillo.

#include "support/armadillo.hpp"
#include "workload.hpp"

namespace {

struct arrays {
    arma::fvec x, y;

    arrays(exp_problem& p, int threads) : x(bench::armadillo_of(p.x)), y(bench::armadillo_of(p.y)) {
        omp_set_num_threads(threads);
    }
    void run() { y = arma::exp(x); }
};

const bool added = bench::add<arrays, exp_problem>("armadillo");

} // namespace

// bench/chain/armadillo.cpp -- Armadillo.

#include "support/armadillo.hpp"
#include "workload.hpp"

namespace {

struct arrays {
    arma::fvec x, y;

    arrays(chain& p, int threads) : x(bench::armadillo_of(p.x)), y(bench::armadillo_of(p.y)) {
        omp_set_num_threads(threads);
    }
    void run() { y = CHAIN_20(x); }
};

const bool added = bench::add<arrays, chain>("armadillo");

} // namespace

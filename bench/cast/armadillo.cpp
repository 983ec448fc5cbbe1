// bench/cast/armadillo.cpp -- Armadillo.

#include "support/armadillo.hpp"
#include "workload.hpp"

namespace {

struct arrays {
    arma::Col<arma::u8> x;
    arma::fvec y;

    arrays(cast& p, int threads) : x(bench::armadillo_of(p.x)), y(bench::armadillo_of(p.y)) {
        omp_set_num_threads(threads);
    }
    void run() { y = arma::conv_to<arma::fvec>::from(x) / 255; }
};

const bool added = bench::add<arrays, cast>("armadillo");

} // namespace

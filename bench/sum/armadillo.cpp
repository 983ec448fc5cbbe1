// bench/sum/armadillo.cpp -- Armadillo.

#include "support/armadillo.hpp"
#include "workload.hpp"

namespace {

struct arrays {
    sum& p;
    arma::fvec x, z;

    arrays(sum& problem, int threads) : p(problem), x(bench::armadillo_of(p.x)), z(bench::armadillo_of(p.z)) {
        omp_set_num_threads(threads);
    }
    void run() { p.y[0] = arma::accu(x % z); }
};

const bool added = bench::add<arrays, sum>("armadillo");

} // namespace

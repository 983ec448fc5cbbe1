// bench/mean_var/armadillo.cpp -- Armadillo.

#include "support/armadillo.hpp"
#include "workload.hpp"

namespace {

struct arrays {
    arma::fmat x;
    arma::frowvec mean, variance;

    arrays(mean_var& p, int threads)
        : x(bench::armadillo_of(p.x, p.rows, p.columns)),
          mean(p.y.data(), static_cast<arma::uword>(p.rows), false, true),
          variance(p.y.data() + p.rows, static_cast<arma::uword>(p.rows), false, true) {
        omp_set_num_threads(threads);
    }
    void run() {
        mean = arma::mean(x, 0);
        variance = arma::var(x, 1, 0);
    }
};

const bool added = bench::add<arrays, mean_var>("armadillo");

} // namespace

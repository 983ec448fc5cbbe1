// bench/sum_rows/armadillo.cpp -- Armadillo.

#include "support/armadillo.hpp"
#include "workload.hpp"

namespace {

struct arrays {
    arma::fmat x;
    arma::frowvec y;

    arrays(sum_rows& p, int threads)
        : x(bench::armadillo_of(p.x, p.rows, p.columns)),
          y(p.y.data(), static_cast<arma::uword>(p.y.size()), false, true) {
        omp_set_num_threads(threads);
    }
    void run() { y = arma::sum(x, 0); }
};

const bool added = bench::add<arrays, sum_rows>("armadillo");

} // namespace

// bench/softmax/armadillo.cpp -- Armadillo.

#include "support/armadillo.hpp"
#include "workload.hpp"

namespace {

struct arrays {
    arma::fmat x, y;

    arrays(softmax& p, int threads)
        : x(bench::armadillo_of(p.x, p.rows, p.columns)), y(bench::armadillo_of(p.y, p.rows, p.columns)) {
        omp_set_num_threads(threads);
    }
    void run() {
        y = arma::exp(x.each_row() - arma::max(x, 0));
        y.each_row() /= arma::sum(y, 0);
    }
};

const bool added = bench::add<arrays, softmax>("armadillo");

} // namespace

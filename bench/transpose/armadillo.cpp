// bench/transpose/armadillo.cpp -- Armadillo.

#include "support/armadillo.hpp"
#include "workload.hpp"

namespace {

struct arrays {
    arma::fmat x, y;

    arrays(transpose& p, int threads)
        : x(bench::armadillo_of(p.x, p.rows, p.columns)), y(bench::armadillo_of(p.y, p.columns, p.rows)) {
        omp_set_num_threads(threads);
    }
    void run() { y = x.t() + 1; }
};

const bool added = bench::add<arrays, transpose>("armadillo");

} // namespace

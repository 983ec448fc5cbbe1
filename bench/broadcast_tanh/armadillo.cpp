// bench/broadcast_tanh/armadillo.cpp -- Armadillo.

#include "support/armadillo.hpp"
#include "workload.hpp"

namespace {

struct arrays {
    arma::fvec row;
    arma::frowvec column;
    arma::fmat y;

    arrays(broadcast_tanh& p, int threads)
        : row(bench::armadillo_of(p.row)), column(p.column.data(), static_cast<arma::uword>(p.rows), false, true),
          y(bench::armadillo_of(p.y, p.rows, p.columns)) {
        omp_set_num_threads(threads);
    }
    void run() {
        y.each_col() = row;
        y.each_row() += column;
        y = arma::tanh(y);
    }
};

const bool added = bench::add<arrays, broadcast_tanh>("armadillo");

} // namespace

// bench/axpby/armadillo.cpp -- Armadillo.

#include "support/armadillo.hpp"
#include "workload.hpp"

namespace {

template <class T>
struct arrays {
    arma::Col<T> x, z, y;
    T a, b, c;

    arrays(axpby<T>& p, int threads)
        : x(bench::armadillo_of(p.x)), z(bench::armadillo_of(p.z)), y(bench::armadillo_of(p.y)), a(p.a), b(p.b),
          c(p.c) {
        omp_set_num_threads(threads);
    }
    void run() { y = a * x + b * z + c; }
};

const bool added =
    bench::add<arrays<float>, axpby<float>>("armadillo") && bench::add<arrays<double>, axpby<double>>("armadillo");

} // namespace

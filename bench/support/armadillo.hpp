// bench/support/armadillo.hpp -- the memory of a problem as Armadillo's vectors and matrices; OpenMP is on.
//
// Armadillo is column-major: a row-major matrix is its transpose there.
#pragma once

#define ARMA_DONT_USE_WRAPPER
#define ARMA_DONT_USE_BLAS
#define ARMA_DONT_USE_LAPACK
#include <armadillo>

#include <omp.h>

#include "support/measure.hpp"

namespace bench {

template <class T>
arma::Col<T> armadillo_of(const array<T>& a) {
    return arma::Col<T>(a.data(), static_cast<arma::uword>(a.size()), false, true);
}
template <class T>
arma::Mat<T> armadillo_of(const array<T>& a, int64_t rows, int64_t columns) {
    return arma::Mat<T>(a.data(), static_cast<arma::uword>(columns), static_cast<arma::uword>(rows), false, true);
}

} // namespace bench

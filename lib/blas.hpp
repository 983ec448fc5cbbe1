// lib/blas.hpp -- stage 4: the BLAS that matrix products of float and double go to.
#pragma once

#include <string>

namespace sinter::detail {

/// The functions of the CBLAS interface that sinter calls. Null pointers where no BLAS was found.
struct blas {
    enum { row_major = 101, as_it_is = 111, transposed = 112 };
    void (*sgemm)(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha, const float* a, int lda,
                  const float* b, int ldb, float beta, float* c, int ldc) = nullptr;
    void (*dgemm)(int order, int transpose_a, int transpose_b, int m, int n, int k, double alpha, const double* a, int lda,
                  const double* b, int ldb, double beta, double* c, int ldc) = nullptr;
    void (*sgemv)(int order, int transpose, int m, int n, float alpha, const float* a, int lda, const float* x, int incx,
                  float beta, float* y, int incy) = nullptr;
    void (*dgemv)(int order, int transpose, int m, int n, double alpha, const double* a, int lda, const double* x, int incx,
                  double beta, double* y, int incy) = nullptr;
    std::string name; // for people: the library and its kernels
};

/// Opened at the first use.
const blas& blas_library();

} // namespace sinter::detail

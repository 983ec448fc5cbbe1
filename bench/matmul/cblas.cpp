// bench/matmul/cblas.cpp -- OpenBLAS as it comes: it chooses its kernels, and threads are its own.

#include <cblas.h>

#include "support/measure.hpp"
#include "workload.hpp"

namespace {

struct matrices {
    matmul& p;

    matrices(matmul& problem, int threads) : p(problem) { openblas_set_num_threads(threads); }
    void run() const {
        const int n = static_cast<int>(p.side);
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, p.x.data(), n, p.z.data(), n, 0, p.y.data(),
                    n);
    }
};

const bool added = bench::add<matrices, matmul>("cblas");

} // namespace

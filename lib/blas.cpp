// lib/blas.cpp -- stage 4: finding a BLAS, and making it use the right kernels. See blas.hpp.
//
// OpenBLAS 0.3.21 knows processors by their model number, and takes slow kernels on those that came after it: measured on
// an AVX-512 processor of 2024, sgemm of 1024² by its own choice (Haswell) 140 GFLOP/s, with SkylakeX 266, Eigen 204, BLIS
// 0.9 46. So it is opened at run time, and told the kernels by what the processor can do, unless OPENBLAS_CORETYPE is set.

#include "blas.hpp"

#include <dlfcn.h>

#include <cstdlib>

#include <sinter/host/isa.hpp>

namespace sinter::detail {
namespace {

/// Sets an environment variable for as long as it lives, unless it is set.
class environment {
public:
    environment(const char* name, const char* value) : name_(value && !std::getenv(name) ? name : nullptr) {
        if (name_) setenv(name_, value, 0);
    }
    ~environment() {
        if (name_) unsetenv(name_);
    }
    environment(const environment&) = delete;
    environment& operator=(const environment&) = delete;

private:
    const char* name_;
};

void* open_library(const char* file) {
    if (void* const loaded = dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD)) return loaded;
    const isa best = active_isa();
    const environment kernels("OPENBLAS_CORETYPE", best == isa::v4 ? "SKYLAKEX" : best == isa::v3 ? "HASWELL" : nullptr);
    const environment threads("OPENBLAS_NUM_THREADS", "1");
    return dlopen(file, RTLD_NOW | RTLD_LOCAL);
}

template <class F>
void find(void* library, const char* name, F& function) {
    function = reinterpret_cast<F>(dlsym(library, name));
}

blas open_blas() {
    blas found;
    for (const char* file : {"libopenblas.so.0", "libblis.so.4", "libcblas.so.3"}) {
        void* const library = open_library(file);
        if (!library) continue;
        find(library, "cblas_sgemm", found.sgemm);
        find(library, "cblas_dgemm", found.dgemm);
        find(library, "cblas_sgemv", found.sgemv);
        find(library, "cblas_dgemv", found.dgemv);
        if (!found.sgemm || !found.dgemm || !found.sgemv || !found.dgemv) continue;
        found.name = file;
        // sinter's own threads share the work: one call of the BLAS uses one.
        void (*set_threads)(int) = nullptr;
        find(library, "openblas_set_num_threads", set_threads);
        if (set_threads) set_threads(1);
        char* (*kernels)() = nullptr;
        find(library, "openblas_get_corename", kernels);
        if (kernels) found.name += std::string(" (") + kernels() + ")";
        return found;
    }
    return {};
}

} // namespace

const blas& blas_library() {
    static const blas library = open_blas();
    return library;
}

} // namespace sinter::detail

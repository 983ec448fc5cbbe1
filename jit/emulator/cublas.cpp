// jit/emulator/cublas.cpp -- the emulated cuBLAS: products of matrices, done by plain loops when their stream comes to them.

#include <algorithm>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "entries.hpp"

namespace sinter::detail::jit {
namespace {

enum status { success = 0, not_initialized = 1, allocation_failed = 3, invalid_value = 7, execution_failed = 13, not_supported = 15 };

struct handle {
    cu_stream stream = nullptr;
};

std::mutex mutex;
std::set<handle*> handles;

handle* known(cublas_handle h) {
    const std::lock_guard lock(mutex);
    auto* const r = reinterpret_cast<handle*>(h);
    return handles.count(r) ? r : nullptr;
}

/// C = alpha op(A) op(B) + beta C, column-major.
template <class T>
struct product {
    bool is_a_transposed, is_b_transposed;
    std::size_t m, n, k, lda, ldb, ldc;
    long long stride_a, stride_b, stride_c;
    const T *a, *b;
    T* c;
    double alpha, beta;
    int batches;
    std::vector<double> row, result; // made before the work, which a fault leaves by a jump

    void run() {
        for (int batch = 0; batch < batches; ++batch) one(a + stride_a * batch, b + stride_b * batch, c + stride_c * batch);
    }

    /// One column of C at a time, so that columns of A are read in their order.
    void one(const T* a0, const T* b0, T* c0) {
        for (std::size_t j = 0; j < n; ++j) {
            std::fill(result.begin(), result.end(), 0.0);
            for (std::size_t l = 0; l < k; ++l) row[l] = static_cast<double>(is_b_transposed ? b0[j + l * ldb] : b0[l + j * ldb]);
            if (is_a_transposed) {
                for (std::size_t i = 0; i < m; ++i)
                    for (std::size_t l = 0; l < k; ++l) result[i] += static_cast<double>(a0[l + i * lda]) * row[l];
            } else {
                for (std::size_t l = 0; l < k; ++l)
                    for (std::size_t i = 0; i < m; ++i) result[i] += static_cast<double>(a0[i + l * lda]) * row[l];
            }
            // With beta 0, C is not read: it may hold NaN.
            for (std::size_t i = 0; i < m; ++i)
                c0[i + j * ldc] = static_cast<T>(alpha * result[i] + (beta == 0 ? 0.0 : beta * static_cast<double>(c0[i + j * ldc])));
        }
    }
};

template <class T>
int enqueue(const handle& h, product<T> p, const void* alpha, const void* beta) {
    p.alpha = static_cast<double>(*static_cast<const T*>(alpha));
    p.beta = static_cast<double>(*static_cast<const T*>(beta));
    if (p.alpha == 0) p.k = 0; // the operands are not read
    p.row.resize(p.k);
    p.result.resize(p.m);
    const cu_address addresses[] = {reinterpret_cast<cu_address>(p.a), reinterpret_cast<cu_address>(p.b), reinterpret_cast<cu_address>(p.c)};
    auto* const data = new product<T>(std::move(p));
    const int problem = sinter_emulator_enqueue(
        h.stream, "cublasGemmStridedBatchedEx", [](void* d) { static_cast<product<T>*>(d)->run(); },
        [](void* d) { delete static_cast<product<T>*>(d); }, data, addresses, 3);
    return problem ? static_cast<int>(execution_failed) : static_cast<int>(success);
}

} // namespace

extern "C" {

int cublasCreate_v2(cublas_handle* h) {
    if (!h) return invalid_value;
    // As the real one, it needs a context that works.
    if (sinter_emulator_enqueue(nullptr, "cublasCreate", [](void*) {}, [](void*) {}, nullptr, nullptr, 0) != 0) return not_initialized;
    auto* const r = new handle;
    const std::lock_guard lock(mutex);
    handles.insert(r);
    *h = reinterpret_cast<cublas_handle>(r);
    return success;
}

int cublasDestroy_v2(cublas_handle h) {
    const std::lock_guard lock(mutex);
    auto* const r = reinterpret_cast<handle*>(h);
    if (handles.erase(r) == 0) return not_initialized;
    delete r;
    return success;
}

int cublasGetVersion_v2(cublas_handle h, int* version) {
    if (!known(h)) return not_initialized;
    if (!version) return invalid_value;
    *version = 130000;
    return success;
}

int cublasSetStream_v2(cublas_handle h, cu_stream stream) {
    handle* const r = known(h);
    if (!r) return not_initialized;
    r->stream = stream;
    return success;
}

int cublasSetWorkspace_v2(cublas_handle h, void* memory, std::size_t bytes) {
    if (!known(h)) return not_initialized;
    return memory || bytes == 0 ? success : invalid_value;
}

int cublasSetMathMode(cublas_handle h, int mode) {
    if (!known(h)) return not_initialized;
    return mode >= 0 ? success : invalid_value;
}

int cublasGemmStridedBatchedEx(cublas_handle h, int transpose_a, int transpose_b, int m, int n, int k, const void* alpha, const void* a, int a_type,
                               int lda, long long stride_a, const void* b, int b_type, int ldb, long long stride_b, const void* beta, void* c,
                               int c_type, int ldc, long long stride_c, int batches, int compute_type, int algorithm) {
    const handle* const r = known(h);
    if (!r) return not_initialized;
    const bool is_float = a_type == cublas_real_float && (compute_type == cublas_in_float || compute_type == cublas_in_tf32);
    const bool is_double = a_type == cublas_real_double && compute_type == cublas_in_double;
    if ((!is_float && !is_double) || b_type != a_type || c_type != a_type || algorithm < -1) return not_supported;
    const bool is_a_transposed = transpose_a == cublas_transposed, is_b_transposed = transpose_b == cublas_transposed;
    if ((!is_a_transposed && transpose_a != cublas_not_transposed) || (!is_b_transposed && transpose_b != cublas_not_transposed)) return invalid_value;
    if (m < 0 || n < 0 || k < 0 || batches < 0 || !alpha || !beta) return invalid_value;
    if (lda < std::max(1, is_a_transposed ? k : m) || ldb < std::max(1, is_b_transposed ? n : k) || ldc < std::max(1, m)) return invalid_value;
    if (m == 0 || n == 0 || batches == 0) return success;
    if (!c || (k > 0 && (!a || !b))) return invalid_value;
    const auto make = [&]<class T>(T) {
        const auto size = [](int i) { return static_cast<std::size_t>(i); };
        return product<T>{is_a_transposed, is_b_transposed, size(m), size(n), size(k), size(lda), size(ldb), size(ldc), stride_a, stride_b, stride_c,
                          static_cast<const T*>(a), static_cast<const T*>(b), static_cast<T*>(c), 0, 0, batches, {}, {}};
    };
    return is_float ? enqueue(*r, make(0.0f), alpha, beta) : enqueue(*r, make(0.0), alpha, beta);
}

} // extern "C"
} // namespace sinter::detail::jit

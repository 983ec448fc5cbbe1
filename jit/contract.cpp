// jit/contract.cpp -- stage 6: matrix products on GPUs: floating point by cuBLAS, integers by a kernel of tiles.

#include "contract.hpp"

#include <algorithm>

#include <sinter/core/error.hpp>

#include "../lib/walk.hpp"
#include "kernel.hpp"
#include "source.hpp"

namespace sinter::detail::jit {
namespace {

/// Products of one stride along the innermost batch axis.
struct product_series {
    std::int64_t m, n, k, batches;
    const char *a, *b;
    char* c;
    std::int64_t a_row, a_column, a_batch, b_row, b_column, b_batch;
};

/// How cuBLAS, whose matrices are column-major, is told of a row-major one: it sees the transpose, or the matrix itself where its
/// columns are contiguous.
struct cublas_matrix {
    int flag, leading;
    cublas_matrix(std::int64_t rows, std::int64_t columns, std::int64_t row_stride, std::int64_t column_stride) {
        const bool by_rows = (column_stride == 1 || columns == 1) && (row_stride >= std::max<std::int64_t>(1, columns) || rows == 1);
        flag = by_rows ? cublas_not_transposed : cublas_transposed;
        leading = static_cast<int>(by_rows ? std::max({std::int64_t{1}, columns, rows == 1 ? 1 : row_stride})
                                           : std::max({std::int64_t{1}, rows, columns == 1 ? 1 : column_stride}));
    }
};

void multiply_by_cublas(dtype type, const product_series& p, stream_slot& s) {
    require_cublas();
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    if (std::max({p.m, p.n, p.k, p.batches, p.a_row, p.a_column, p.b_row, p.b_column}) > most)
        throw device_error("matmul: an extent or a stride of more than " + std::to_string(most) + " elements, which cuBLAS does not take");
    if (!s.blas) SINTER_CUDA(cublasCreate_v2, &s.blas);
    SINTER_CUDA(cublasSetStream_v2, s.blas, s.stream);
    const bool is_float = type == dtype::float32;
    const int data = is_float ? cublas_real_float : cublas_real_double;
    const int compute = is_float ? (allow_tf32() ? cublas_in_tf32 : cublas_in_float) : cublas_in_double;
    const float one_float = 1, zero_float = 0;
    const double one_double = 1, zero_double = 0;
    const void* const one = is_float ? static_cast<const void*>(&one_float) : &one_double;
    const void* const zero = is_float ? static_cast<const void*>(&zero_float) : &zero_double;
    const cublas_matrix a(p.m, p.k, p.a_row, p.a_column), b(p.k, p.n, p.b_row, p.b_column);
    // Column-major, c is its transpose: bᵀ aᵀ.
    SINTER_CUDA(cublasGemmStridedBatchedEx, s.blas, b.flag, a.flag, static_cast<int>(p.n), static_cast<int>(p.m), static_cast<int>(p.k), one, p.b,
                data, b.leading, p.b_batch, p.a, data, a.leading, p.a_batch, zero, p.c, data, static_cast<int>(p.n), p.m * p.n,
                static_cast<int>(p.batches), compute, cublas_default_algorithm);
}

/// Integers wrap: products and sums are those of unsigned ones.
std::string integer_source(dtype type) {
    const std::string t = type_name(type), u = bytes_of(type) == 8 ? "unsigned long long" : "unsigned";
    return "// out = a b, of integers, which wrap: each block computes 16 x 16 elements from tiles of a and b.\n\n"
           "extern \"C\" __global__ void __launch_bounds__(256)\n"
           "matmul_integers(" + t + "* __restrict__ out, const " + t + "* __restrict__ a, const " + t + "* __restrict__ b,\n"
           "    const long long m, const long long n, const long long length, const long long a_row, const long long a_column,\n"
           "    const long long b_row, const long long b_column, const long long tiles)\n{\n"
           "    __shared__ " + u + " a_tile[16][17], b_tile[16][17];\n"
           "    const long long i = blockIdx.x / tiles * 16 + threadIdx.y, j = blockIdx.x % tiles * 16 + threadIdx.x;\n"
           "    " + u + " total = 0;\n"
           "    for (long long from = 0; from < length; from += 16) {\n"
           "        const long long ka = from + threadIdx.x, kb = from + threadIdx.y;\n"
           "        a_tile[threadIdx.y][threadIdx.x] = i < m && ka < length ? (" + u + ")a[i * a_row + ka * a_column] : 0;\n"
           "        b_tile[threadIdx.y][threadIdx.x] = kb < length && j < n ? (" + u + ")b[kb * b_row + j * b_column] : 0;\n"
           "        __syncthreads();\n"
           "#pragma unroll\n"
           "        for (int k = 0; k < 16; ++k) total += a_tile[threadIdx.y][k] * b_tile[k][threadIdx.x];\n"
           "        __syncthreads();\n"
           "    }\n"
           "    if (i < m && j < n) out[i * n + j] = (" + t + ")total;\n}\n";
}

void multiply_integers(dtype type, const product_series& p, stream_slot& s) {
    const loaded_kernel& kernel = load_kernel(s.device, "matmul_integers", integer_source(type));
    const std::int64_t bytes = bytes_of(type), tiles = (p.n + 15) / 16;
    for (std::int64_t k = 0; k < p.batches; ++k) {
        argument_list arguments(11);
        arguments.add(static_cast<const void*>(p.c + k * p.m * p.n * bytes));
        arguments.add(static_cast<const void*>(p.a + k * p.a_batch * bytes));
        arguments.add(static_cast<const void*>(p.b + k * p.b_batch * bytes));
        for (const std::int64_t v : {p.m, p.n, p.k, p.a_row, p.a_column, p.b_row, p.b_column, tiles}) arguments.add(v);
        launch(kernel, s, {(p.m + 15) / 16 * tiles, 16, 16}, arguments, false);
    }
}

} // namespace

void multiply_on_device(dtype type, extents shape, std::int64_t inner, const matrices& a, const matrices& b, block& c) {
    if (c.bytes == 0) return;
    stream_slot& s = current_stream(c.device);
    order_write(c, s);
    if (inner == 0) return SINTER_CUDA(cuMemsetD8Async, address_of(c.data), 0, c.bytes, s.stream);
    order_read(*a.owner, s);
    order_read(*b.owner, s);
    const int rank = static_cast<int>(shape.size());
    const std::int64_t m = shape[rank - 2], n = shape[rank - 1], bytes = bytes_of(type);
    // The innermost batch axis goes to one call; calls are made for those before it.
    const std::int64_t batches = rank > 2 ? shape[rank - 3] : 1;
    const std::span<const std::int64_t> outer = shape.first(static_cast<std::size_t>(std::max(rank - 3, 0)));
    odometer at(outer);
    const std::int64_t calls = element_count(outer, 1);
    for (std::int64_t call = 0; call < calls; ++call, at.next()) {
        const auto start = [&](const matrices& x) { return static_cast<const char*>(x.base) + at.offset(x.strides) * bytes; };
        const auto along = [&](const matrices& x) { return rank > 2 ? x.strides[rank - 3] : 0; };
        const product_series p{m, n, inner, batches, start(a), start(b), static_cast<char*>(c.data) + call * batches * m * n * bytes,
                               a.strides[rank - 2], a.strides[rank - 1], along(a), b.strides[rank - 2], b.strides[rank - 1], along(b)};
        if (type == dtype::float32 || type == dtype::float64)
            multiply_by_cublas(type, p, s);
        else
            multiply_integers(type, p, s);
    }
}

} // namespace sinter::detail::jit

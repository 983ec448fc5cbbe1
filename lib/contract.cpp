// lib/contract.cpp -- stage 4: matrix products: batches and panels over threads, each by BLAS or by loops.

#include <algorithm>
#include <cstring>

#include <sinter/fuse/barriers.hpp>

#include "blas.hpp"
#include "walk.hpp"

namespace sinter::detail {
namespace {

/// One product c = a b, with a (m, k), b (k, n), c (m, n) contiguous.
template <class T>
struct one_product {
    std::int64_t m, n, k;
    const T* a;
    std::int64_t a_row, a_column;
    const T* b;
    std::int64_t b_row, b_column;
    T* c;
};

/// Integers wrap, so they are multiplied as unsigned ones, and bytes and shorts as 32 bits, which have no promotion to int.
template <class T>
struct multiplied_as : std::type_identity<T> {};
template <class T>
    requires std::is_integral_v<T>
struct multiplied_as<T> : std::type_identity<std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>> {};

/// By loops over rows of b, which the compiler makes packets of.
template <class T>
void multiply_by_loops(const one_product<T>& p) {
    using U = typename multiplied_as<T>::type;
    constexpr std::int64_t columns = 1024, depth = 256; // a block of b stays in the second cache
    std::fill_n(p.c, p.m * p.n, T(0));
    for (std::int64_t j0 = 0; j0 < p.n; j0 += columns) {
        const std::int64_t j1 = std::min(p.n, j0 + columns);
        for (std::int64_t l0 = 0; l0 < p.k; l0 += depth) {
            const std::int64_t l1 = std::min(p.k, l0 + depth);
            for (std::int64_t i = 0; i < p.m; ++i) {
                T* const c = p.c + i * p.n;
                for (std::int64_t l = l0; l < l1; ++l) {
                    const auto x = static_cast<U>(p.a[i * p.a_row + l * p.a_column]);
                    const T* const b = p.b + l * p.b_row;
                    if (p.b_column == 1)
                        for (std::int64_t j = j0; j < j1; ++j)
                            c[j] = static_cast<T>(static_cast<U>(c[j]) + x * static_cast<U>(b[j]));
                    else
                        for (std::int64_t j = j0; j < j1; ++j)
                            c[j] = static_cast<T>(static_cast<U>(c[j]) + x * static_cast<U>(b[j * p.b_column]));
                }
            }
        }
    }
}

bool rows_are_contiguous(std::int64_t rows, std::int64_t columns, std::int64_t row_stride, std::int64_t column_stride) {
    return (column_stride == 1 || columns == 1) && (row_stride >= std::max<std::int64_t>(1, columns) || rows == 1);
}

/// How BLAS is told of a matrix: as it is when its rows are contiguous, otherwise as the transpose of one whose rows are.
struct blas_matrix {
    bool transposed;
    int rows, columns, leading; // of what lies in memory

    blas_matrix(std::int64_t r, std::int64_t c, std::int64_t row_stride, std::int64_t column_stride)
        : transposed(!rows_are_contiguous(r, c, row_stride, column_stride)), rows(static_cast<int>(transposed ? c : r)),
          columns(static_cast<int>(transposed ? r : c)),
          leading(std::max({1, columns, rows == 1 ? 1 : static_cast<int>(transposed ? column_stride : row_stride)})) {}
    int flag(bool again = false) const { return transposed != again ? blas::transposed : blas::as_it_is; }
};

template <class T>
bool multiply_by_blas([[maybe_unused]] const one_product<T>& p) {
    if constexpr (std::is_integral_v<T>) {
        return false;
    } else {
        const blas& library = blas_library();
        constexpr std::int64_t most = std::numeric_limits<int>::max();
        if (!library.sgemm || std::max({p.m, p.n, p.k, p.a_row, p.a_column, p.b_row, p.b_column}) > most) return false;
        const auto [gemm, gemv] = [&] {
            if constexpr (std::is_same_v<T, float>)
                return std::pair(library.sgemm, library.sgemv);
            else
                return std::pair(library.dgemm, library.dgemv);
        }();
        const blas_matrix a(p.m, p.k, p.a_row, p.a_column), b(p.k, p.n, p.b_row, p.b_column);
        if (p.n == 1)
            gemv(blas::row_major, a.flag(), a.rows, a.columns, T(1), p.a, a.leading, p.b, static_cast<int>(std::max<std::int64_t>(1, p.b_row)),
                 T(0), p.c, 1);
        else if (p.m == 1)
            gemv(blas::row_major, b.flag(true), b.rows, b.columns, T(1), p.b, b.leading, p.a,
                 static_cast<int>(std::max<std::int64_t>(1, p.a_column)), T(0), p.c, 1);
        else
            gemm(blas::row_major, a.flag(), b.flag(), static_cast<int>(p.m), static_cast<int>(p.n), static_cast<int>(p.k), T(1), p.a,
                 a.leading, p.b, b.leading, T(0), p.c, static_cast<int>(p.n));
        return true;
    }
}

template <class T>
void multiply_one(const one_product<T>& p) {
    if (p.k == 0)
        std::fill_n(p.c, p.m * p.n, T(0));
    else if (!multiply_by_blas(p))
        multiply_by_loops(p);
}

/// Batches, and panels of rows of c, in parallel. Panels depend on the shape alone, so that results do not depend on threads.
template <class T>
void multiply_all(extents shape, std::int64_t inner, const matrices& a, const matrices& b, T* c) {
    const int rank = static_cast<int>(shape.size());
    const std::span batch_shape = shape.first(shape.size() - 2);
    const std::int64_t m = shape[rank - 2], n = shape[rank - 1], batches = element_count(batch_shape, 1);
    if (m == 0 || n == 0 || batches == 0) return;
    // bench/matmul: 192 rows are 1.02 times slower than one panel at 1024², and keep 5 threads busy.
    const std::int64_t panel = std::max<std::int64_t>(192, (m / 64 + 15) / 16 * 16);
    const std::int64_t panels = (m + panel - 1) / panel;
    const double cost = 2.0 * static_cast<double>(std::min(m, panel)) * static_cast<double>(n) * static_cast<double>(inner) *
                        (std::is_integral_v<T> ? 0.1 : 0.01);
    for_parts(batches * panels, cost + 100, [&](std::int64_t first, std::int64_t last) {
        odometer batch(batch_shape);
        for (std::int64_t unit = first; unit < last; ++unit) {
            const std::int64_t index = unit / panels, row = unit % panels * panel;
            batch.seek(index);
            const std::int64_t a_row = a.strides[rank - 2];
            multiply_one<T>({std::min(panel, m - row), n, inner,
                             static_cast<const T*>(a.base) + batch.offset(a.strides) + row * a_row, a_row, a.strides[rank - 1],
                             static_cast<const T*>(b.base) + batch.offset(b.strides), b.strides[rank - 2], b.strides[rank - 1],
                             c + (index * m + row) * n});
        }
    });
}

} // namespace

bool readable_matrix(std::int64_t rows, std::int64_t columns, std::int64_t row_stride, std::int64_t column_stride) {
    return rows_are_contiguous(rows, columns, row_stride, column_stride) ||
           rows_are_contiguous(columns, rows, column_stride, row_stride);
}

void throw_no_product(extents a, extents b) {
    throw shape_error("matmul: shapes " + text(a) + " and " + text(b) + ": the last extent of the first, " +
                      std::to_string(a.back()) + ", must equal the second last of the second, " + std::to_string(b[b.size() - 2]) +
                      "; transpose one?");
}

void multiply(dtype type, extents shape, std::int64_t inner, const matrices& a, const matrices& b, void* c) {
    const auto as = [&]<class T>(T) { multiply_all<T>(shape, inner, a, b, static_cast<T*>(c)); };
    switch (type) {
    case dtype::int8: return as(std::int8_t{});
    case dtype::int16: return as(std::int16_t{});
    case dtype::int32: return as(std::int32_t{});
    case dtype::int64: return as(std::int64_t{});
    case dtype::uint8: return as(std::uint8_t{});
    case dtype::uint16: return as(std::uint16_t{});
    case dtype::uint32: return as(std::uint32_t{});
    case dtype::uint64: return as(std::uint64_t{});
    case dtype::float32: return as(float{});
    case dtype::float64: return as(double{});
    case dtype::boolean: break; // refused by matmul
    }
}

} // namespace sinter::detail

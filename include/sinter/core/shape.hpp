// sinter/core/shape.hpp -- extents and strides, and how shapes broadcast.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include <sinter/core/error.hpp>

namespace sinter {

/// The extents of a tensor of rank N.
template <int N>
using shape = std::array<std::int64_t, static_cast<std::size_t>(N)>;

/// The highest rank.
inline constexpr int max_rank = 8;

namespace detail {

using extents = std::span<const std::int64_t>;

/// "(3, 4)"; "(3,)" for one axis; "()" for none.
std::string text(extents shape);

/// The number of elements. Throws shape_error for a negative extent, or when 64 bits do not hold the bytes.
std::int64_t element_count(extents shape, std::size_t bytes = 8);

/// a == b, which for std::array calls memcmp: 5 ns each, several times an evaluation.
template <std::size_t N>
constexpr bool same_shape(const std::array<std::int64_t, N>& a, const std::array<std::int64_t, N>& b) {
    bool same = true;
    for (std::size_t k = 0; k < N; ++k) same &= a[k] == b[k];
    return same;
}

[[noreturn]] void throw_no_broadcast(const char* operation, extents a, extents b);
[[noreturn]] void throw_shape_mismatch(const char* operation, extents given, extents wanted);

/// Strides, in elements, of a row-major layout.
template <std::size_t N>
constexpr std::array<std::int64_t, N> row_major(const std::array<std::int64_t, N>& shape) {
    std::array<std::int64_t, N> strides{};
    std::int64_t stride = 1;
    for (std::size_t i = N; i-- > 0;) {
        strides[i] = stride;
        stride *= shape[i];
    }
    return strides;
}

/// The shape that shapes a and b broadcast to: aligned at the last axis, extents equal or one of them 1.
template <std::size_t A, std::size_t B>
auto broadcast_shapes(const char* operation, const std::array<std::int64_t, A>& a, const std::array<std::int64_t, B>& b) {
    constexpr std::size_t n = A > B ? A : B;
    std::array<std::int64_t, n> r{};
    for (std::size_t i = 0; i < n; ++i) {
        const std::int64_t x = i + A >= n ? a[i + A - n] : 1;
        const std::int64_t y = i + B >= n ? b[i + B - n] : 1;
        if (x != y && x != 1 && y != 1) throw_no_broadcast(operation, a, b);
        r[i] = x == 1 ? y : x;
    }
    return r;
}

/// An axis counted from the end when negative. Throws nothing: axes are checked at compile time.
constexpr int normal_axis(int axis, int rank) {
    return axis < 0 ? axis + rank : axis;
}

} // namespace detail
} // namespace sinter

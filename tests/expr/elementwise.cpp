// tests/expr/elementwise.cpp -- every row of the table, over every type it takes, every layout and special values.
//
// Built in parts (PART of PARTS), which take turns at the rows, because it is many kernels.

#include "support/elementwise.hpp"

namespace {

template <class X>
inline constexpr bool is_float = std::is_floating_point_v<X>;

template <class X>
X quotient(X a, X b) {
    if constexpr (is_float<X>)
        return a / b;
    else
        return b == 0 ? 0 : a / b;
}
template <class X>
X fmod_of(X a, X b) {
    if constexpr (is_float<X>)
        return std::fmod(a, b);
    else
        return b == 0 ? 0 : a % b;
}
template <class X>
X remainder_of(X a, X b) {
    const X m = fmod_of(a, b);
    if (m != 0) return (b < 0) != (m < 0) ? m + b : m;
    if constexpr (is_float<X>)
        return std::copysign(m, b);
    else
        return m;
}
template <class X>
X floor_quotient(X a, X b) {
    if constexpr (is_float<X>) {
        if (b == 0) return a / b;
        const X m = std::fmod(a, b);
        X q = (a - m) / b;
        if (m != 0 && (b < 0) != (m < 0)) q -= 1;
        if (q == 0) return std::copysign(X(0), a / b);
        const X low = std::floor(q);
        return q - low > X(0.5) ? low + 1 : low;
    } else {
        if (b == 0) return 0;
        const X q = a / b;
        return a % b != 0 && (a % b < 0) != (b < 0) ? q - 1 : q;
    }
}
template <class X>
X least(X a, X b) {
    if constexpr (is_float<X>) {
        if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<X>::quiet_NaN();
        if (a == b) return std::signbit(a) ? a : b;
    }
    return a < b ? a : b;
}
template <class X>
X greatest(X a, X b) {
    if constexpr (is_float<X>) {
        if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<X>::quiet_NaN();
        if (a == b) return std::signbit(a) ? b : a;
    }
    return a > b ? a : b;
}
template <class X>
X sign_of(X a) {
    return a > 0 ? X(1) : a < 0 ? X(-1) : a;
}
template <class X>
X magnitude(X a) {
    if constexpr (is_float<X>)
        return std::fabs(a);
    else
        return a < 0 ? -a : a;
}
template <class X>
X fused(X a, X b, X c) {
    if constexpr (is_float<X>)
        return std::fma(a, b, c);
    else
        return a * b + c;
}
template <class T, class X>
X shifted_left(X a, X count) {
    return count < 0 || count >= static_cast<X>(8 * sizeof(T)) ? 0 : static_cast<X>(static_cast<unsigned __int128>(a) << static_cast<int>(count));
}
template <class T, class X>
X shifted_right(X a, X count) {
    if (count < 0 || count >= static_cast<X>(8 * sizeof(T))) return a < 0 ? static_cast<X>(-1) : 0;
    return a >> static_cast<int>(count);
}
#define ROUNDING(name, of)                                                                                             \
    template <class X>                                                                                                 \
    X name(X a) {                                                                                                      \
        if constexpr (is_float<X>)                                                                                     \
            return of(a);                                                                                              \
        else                                                                                                           \
            return a;                                                                                                  \
    }
ROUNDING(floor_of, std::floor)
ROUNDING(ceil_of, std::ceil)
ROUNDING(trunc_of, std::trunc)
ROUNDING(round_of, std::round)
ROUNDING(rint_of, std::nearbyint)
template <class X>
bool nan(X a) {
    if constexpr (is_float<X>) return std::isnan(a);
    return false;
}
template <class X>
bool infinite(X a) {
    if constexpr (is_float<X>) return std::isinf(a);
    return false;
}
template <class X>
bool negative_sign(X a) {
    if constexpr (is_float<X>)
        return std::signbit(a);
    else
        return a < 0;
}

} // namespace

SINTER_REFERENCE(add, a + b)
SINTER_REFERENCE(subtract, a - b)
SINTER_REFERENCE(multiply, a* b)
SINTER_REFERENCE(divide, quotient(a, b))
SINTER_REFERENCE(negative, -a)
SINTER_REFERENCE(positive, a)
SINTER_REFERENCE(abs, magnitude(a))
SINTER_REFERENCE(sign, sign_of(a))
SINTER_REFERENCE(square, a* a)
SINTER_REFERENCE(reciprocal, 1 / a)
SINTER_REFERENCE(fma, fused(a, b, c))
SINTER_REFERENCE(fmod, fmod_of(a, b))
SINTER_REFERENCE(remainder, remainder_of(a, b))
SINTER_REFERENCE(floor_divide, floor_quotient(a, b))
SINTER_REFERENCE(minimum, least(a, b))
SINTER_REFERENCE(maximum, greatest(a, b))
SINTER_REFERENCE(clamp, least(greatest(a, b), c))
SINTER_REFERENCE(equal, a == b)
SINTER_REFERENCE(not_equal, a != b)
SINTER_REFERENCE(less, a < b)
SINTER_REFERENCE(less_equal, a <= b)
SINTER_REFERENCE(greater, a > b)
SINTER_REFERENCE(greater_equal, a >= b)
SINTER_REFERENCE(logical_and, a != 0 && b != 0)
SINTER_REFERENCE(logical_or, a != 0 || b != 0)
SINTER_REFERENCE(logical_xor, (a != 0) != (b != 0))
SINTER_REFERENCE(logical_not, a == 0)
SINTER_REFERENCE(bitwise_and, a& b)
SINTER_REFERENCE(bitwise_or, a | b)
SINTER_REFERENCE(bitwise_xor, a ^ b)
SINTER_REFERENCE(invert, std::is_same_v<T, bool> ? X(a == 0) : X(-1) - a)
SINTER_REFERENCE(left_shift, shifted_left<T>(a, b))
SINTER_REFERENCE(right_shift, shifted_right<T>(a, b))
SINTER_REFERENCE(floor, floor_of(a))
SINTER_REFERENCE(ceil, ceil_of(a))
SINTER_REFERENCE(trunc, trunc_of(a))
SINTER_REFERENCE(round, round_of(a))
SINTER_REFERENCE(rint, rint_of(a))
SINTER_REFERENCE(isnan, nan(a))
SINTER_REFERENCE(isinf, infinite(a))
SINTER_REFERENCE(isfinite, !nan(a) && !infinite(a))
SINTER_REFERENCE(signbit, negative_sign(a))
SINTER_REFERENCE(copysign, std::copysign(a, b))
SINTER_REFERENCE(nextafter, std::nextafter(a, b))
SINTER_REFERENCE(sqrt, std::sqrt(a))
SINTER_REFERENCE(relu, greatest(a, X(0)))

namespace {

// The rows whose results are exact; the others have an error bound, and are checked by tests/host/accuracy.cpp.
template <class Op>
void check_row() {
    if constexpr (Op::ulp == 0) suite::check_operation<Op>();
}

enum : int {
#define SINTER_OP(name, ...) row_##name,
#include <sinter/expr/ops.def>
};

} // namespace

#define SINTER_OP(name, ...)                                                                                           \
    TEST_CASE(#name " of every type it takes, in every layout") {                                                      \
        if constexpr (row_##name % PARTS == PART) check_row<sn::detail::name##_op>();                                  \
    }
#include <sinter/expr/ops.def>

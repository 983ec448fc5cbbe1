// sinter/host/division.hpp -- stage 4: division as NumPy defines it: floor_divide and remainder.
#pragma once

#include <sinter/host/math.hpp>

namespace sinter::detail {

/// a - b * floor_divide(a, b): zero, or with the sign of b. Integers by 0 give 0.
/// Floating point: exact, as NumPy's; NaN for b = 0 or infinite a.
template <kernel_value P>
SINTER_INLINE auto remainder(P a, P b) {
    using T = typename P::value_type;
    const auto r = fmod(a, b);
    if constexpr (std::is_unsigned_v<T>) {
        return r;
    } else {
        const auto differ = (r != T(0)) & ((r < T(0)) != (b < T(0)));
        const auto fitted = select(differ, r + b, r);
        if constexpr (std::is_floating_point_v<T>)
            return select(r == T(0), copysign(r, b), fitted);
        else
            return fitted;
    }
}

/// The quotient rounded down. Integers by 0 give 0. Floating point: from the exact remainder, so that
/// floor_divide(-4.4f, 0.1f) is -45, although the rounded quotient is -44; a / b where b is 0.
template <kernel_value P>
SINTER_INLINE auto floor_divide(P a, P b) {
    using T = typename P::value_type;
    if constexpr (std::is_floating_point_v<T>) {
        const auto r = fmod(a, b);
        const auto toward_zero = (a - r) / b;
        const auto below = (r != T(0)) & ((r < T(0)) != (b < T(0)));
        const auto quotient = select(below, toward_zero - T(1), toward_zero);
        const auto low = floor(quotient);
        const auto whole = select(quotient - low > T(0.5), low + T(1), low);
        const auto signed_whole = select(whole == T(0), copysign(P::splat(0), a / b), whole);
        return select(b == T(0), a / b, signed_whole);
    } else if constexpr (std::is_signed_v<T>) {
        const auto quotient = a / b;
        const auto r = a % b;
        const auto below = (r != T(0)) & ((r < T(0)) != (b < T(0)));
        return select(below, quotient - T(1), quotient);
    } else {
        return a / b;
    }
}

} // namespace sinter::detail

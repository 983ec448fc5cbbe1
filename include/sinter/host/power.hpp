// sinter/host/power.hpp -- stage 4: powers and roots, and operations on the floating-point representation.
//
// Errors are the greatest measured by bench/accuracy over all instruction sets, in units in the last place (ulp).
#pragma once

#include <sinter/host/exponential.hpp>

namespace sinter::detail {

/// 1 / √x. Error 1.0 ulp in double, 0.5 in float. rsqrt(±0) = ±∞, NaN below 0.
template <class T, class W>
SINTER_INLINE packet<T, W> rsqrt(packet<T, W> x) {
    if constexpr (std::is_same_v<T, float>)
        return to_float(rsqrt(to_double(x)));
    else
        return T(1) / sqrt(x);
}

/// The cube root, also of negative numbers. Error 0.7 ulp in double, 0.5 in float.
template <class T, class W>
SINTER_INLINE packet<T, W> cbrt(packet<T, W> x) {
    if constexpr (std::is_same_v<T, float>) {
        return to_float(cbrt(to_double(x)));
    } else {
        using P = packet<T, W>;
        const P a = abs(x);
        // a = m 8^k with √½ ≤ m < 8 √½.
        const auto [mantissa, e] = split_exponent(a);
        const P k = floor(e * T(1.0 / 3) + T(0.01)), rest = e - k * T(3);
        const P m = mantissa * select(rest > T(1.5), T(4), select(rest > T(0.5), P::splat(2), P::splat(1)));
        // A parabola through three cube roots is good to 4 %; Halley's iteration triples the digits.
        P y = T(0.63) + m * (T(0.42) - T(0.026) * m);
        for (int i = 0; i < 3; ++i) {
            const P cube = y * y * y;
            y = y * ((cube + m + m) / (cube + cube + m));
        }
        // Newton's correction, from the residual in twice the digits.
        const auto square = two_product(y, y);
        const auto cube = two_product(square.hi, y);
        const P wrong = ((cube.hi - m) + cube.lo) + square.lo * y;
        y = y - wrong / (T(3) * square.hi);
        return select((a > P{}) & (a < infinity<T>), copysign(y * power_of_two(k), x), x);
    }
}

/// √(x² + y²) without overflow on the way. Error 1.1 ulp in double, 0.5 in float. ∞ when either is infinite.
template <class T, class W>
SINTER_INLINE packet<T, W> hypot(packet<T, W> x, packet<T, W> y) {
    using P = packet<T, W>;
    const P a = abs(x), b = abs(y);
    P result;
    if constexpr (std::is_same_v<T, float>) {
        const auto p = to_double(a), q = to_double(b);
        result = to_float(sqrt(p * p + q * q));
    } else {
        const P most = select(a > b, a, b);
        const P down = select(most > T(0x1p500), P::splat(T(0x1p-600)), select(most < T(0x1p-400), P::splat(T(0x1p600)), P::splat(1)));
        const P up = select(most > T(0x1p500), P::splat(T(0x1p600)), select(most < T(0x1p-400), P::splat(T(0x1p-600)), P::splat(1)));
        const P p = a * down, q = b * down;
        result = sqrt(p * p + q * q) * up;
    }
    return select((a == infinity<T>) | (b == infinity<T>), infinity<T>, result);
}

/// log(e^x + e^y) without overflow. Error 0.6 ulp of the greatest of the result and the operands: the result may be
/// near 0 when they are not.
template <class T, class W>
SINTER_INLINE packet<T, W> logaddexp(packet<T, W> x, packet<T, W> y) {
    if constexpr (std::is_same_v<T, float>) {
        return to_float(logaddexp(to_double(x), to_double(y)));
    } else {
        using P = packet<T, W>;
        const P most = select(x > y, x, y), least = select(x > y, y, x);
        const auto difference = two_sum(least, -most);
        const P bounded = select(difference.hi < T(-760), T(-760), difference.hi);
        const auto power = exp_in_parts(bounded, select(difference.hi < T(-760), P{}, difference.lo));
        const double_word<P> scaled{scale(power.value.hi, power.n), scale(power.value.lo, power.n)};
        const auto sum = log1p_double_word(scaled) + most;
        const P equal_infinities = select((x == y) & (abs(x) == infinity<T>), x, sum.hi + sum.lo);
        const P one_infinity = select((most == infinity<T>) | (least == -infinity<T>), most + T(0), equal_infinities);
        return select(isnan(x) | isnan(y), quiet_nan<T>, one_infinity);
    }
}

/// x^y for x > 0 from the logarithm as a double word.
template <class W>
SINTER_INLINE packet<double, W> power_of_positive(packet<double, W> x, packet<double, W> y) {
    using P = packet<double, W>;
    const auto l = log_double_word(double_word<P>{x, P{}});
    // Beyond 1e200 the result is 0, 1 or infinite, whatever y is exactly.
    const P bounded = select(abs(y) > 1e200, copysign(P::splat(1e200), y), y);
    const auto product = l * bounded;
    const P within = select(product.hi > 720.0, 720.0, select(product.hi < -760.0, -760.0, product.hi));
    const P low = select(within == product.hi, product.lo, P{});
    const auto power = exp_in_parts(within, low);
    return scale(power.value.hi + power.value.lo, power.n);
}

/// x^y, with C's special cases: x^0 = 1^y = 1, also for NaN; negative x only to integral y. Error 0.6 ulp in double and float.
/// Integers: by squaring, wrapping; a negative exponent gives 0, except for the bases 1 and -1; 0^0 = 1.
template <class T, class W>
SINTER_INLINE packet<T, W> pow(packet<T, W> x, packet<T, W> y) {
    using P = packet<T, W>;
    if constexpr (std::is_integral_v<T>) {
        P result = P::splat(1), base = x;
        auto rest = y;
        for (int bit = 0; bit < static_cast<int>(8 * sizeof(T)); ++bit) {
            result = select((rest & T(1)) != T(0), result * base, result);
            base = base * base;
            rest = bits_as<T>(packet<unsigned_bits<T>, W>{bits_as<unsigned_bits<T>>(rest).v >> 1});
        }
        if constexpr (std::is_signed_v<T>) {
            const auto odd = (y & T(1)) != T(0);
            const P of_negative = select(x == T(1), P::splat(1), select(x == T(-1), select(odd, P::splat(-1), P::splat(1)), P{}));
            return select(y < T(0), of_negative, result);
        }
        return result;
    } else if constexpr (std::is_same_v<T, float>) {
        return to_float(pow(to_double(x), to_double(y)));
    } else {
        const P a = abs(x);
        const auto integral = (rint(y) == y);
        const P half_y = y * T(0.5);
        const auto odd = integral & (rint(half_y) != half_y) & (abs(y) < T(0x1p53));
        const P magnitude = power_of_positive(a, y);
        P result = select((x < P{}) & ~integral & (abs(x) < infinity<T>), quiet_nan<T>, magnitude);
        // 0 and infinity
        const auto at_end = (a == P{}) | (a == infinity<T>);
        const auto large = (a == infinity<T>) == (y > P{});
        result = select(at_end, select(large, P::splat(infinity<T>), P{}), result);
        // infinite exponents
        const auto grows = (a > T(1)) == (y > P{});
        result = select(abs(y) == infinity<T>, select(a == T(1), P::splat(1), select(grows, P::splat(infinity<T>), P{})), result);
        result = select(signbit(x) & odd, -result, result);
        result = select(isnan(x) | isnan(y), quiet_nan<T>, result);
        return select((y == P{}) | (x == T(1)), P::splat(1), result);
    }
}

/// The remainder of x / y with the sign of x: exact. NaN for infinite x or y = 0. Integers: x % y, and 0 for y = 0.
template <class T, class W>
SINTER_INLINE packet<T, W> fmod(packet<T, W> x, packet<T, W> y) {
    using P = packet<T, W>;
    if constexpr (std::is_integral_v<T>) {
        return x % y;
    } else if constexpr (std::is_same_v<T, double> && !W::has_fma) {
        return rare_lanes<T, W, T>(std::fmod, x, y);
    } else {
        // With the quotient rounded, x - q y is exact as long as q is; it may be off by one y.
        const P a = abs(x), b = abs(y);
        P r;
        const P quotient = a / b;
        if constexpr (std::is_same_v<T, float>) {
            const auto p = to_double(a), q = to_double(b);
            const auto exact = p - trunc(p / q) * q; // at most 29 + 24 bits
            r = to_float(exact);
            r = select(r < P{}, r + b, r);
        } else {
            r = fma(-trunc(quotient), b, a);
            r = select(r < P{}, r + b, r);
            r = select(r >= b, r - b, r);
        }
        constexpr T most = std::is_same_v<T, float> ? T(0x1p28) : T(0x1p52);
        const auto fast = (quotient < most) & (b < infinity<T>) & (b > T(std::numeric_limits<T>::min() * T(0x1p60)));
        if (any_lane(~fast)) r = select(fast, r, rare_lanes<T, W, T>(std::fmod, a, b));
        return copysign(r, x);
    }
}

/// The neighbour of x in the direction of y; y where they are equal.
template <class T, class W>
SINTER_INLINE packet<T, W> nextafter(packet<T, W> x, packet<T, W> y) {
    using P = packet<T, W>;
    using I = sized_int<sizeof(T)>;
    const auto bits = bits_as<I>(x);
    // Larger magnitudes have larger bits.
    const auto away = (y > x) == (x > P{});
    const auto next = bits_as<T>(select(away, bits + I(1), bits - I(1)));
    const P from_zero = copysign(P::splat(std::numeric_limits<T>::denorm_min()), y);
    const P moved = select(x == P{}, from_zero, next);
    return select(isnan(x) | isnan(y), quiet_nan<T>, select(x == y, y, moved));
}

} // namespace sinter::detail

// sinter/host/trig.hpp -- stage 4: circular functions and their inverses.
//
// Polynomials are Chebyshev interpolants of the functions named beside them, computed with 60 digits. Errors are the greatest
// measured by bench/accuracy over all instruction sets, in units in the last place (ulp).
#pragma once

#include <sinter/host/exponential.hpp>

namespace sinter::detail {

/// x = n π/2 + r + r_lo with |r| ≤ π/4 and integral n.
template <class T, class W>
struct quadrant {
    packet<T, W> r, r_lo, n;
};

/// Cody and Waite's reduction in four parts, the first three of 33 bits: exact enough for |x| < 2^20.
template <class W>
inline constexpr double reducible = 0x1p20;
template <class W>
SINTER_INLINE quadrant<double, W> reduce_quadrant(packet<double, W> x) {
    using P = packet<double, W>;
    const P n = rint(x * 0.6366197723675814);
    const P r0 = x - n * 0x1.921fb544p+0; // exact
    const auto r1 = two_sum(r0, -(n * 0x1.0b4611a6p-34));
    const auto r2 = two_sum(r1.hi, -(n * 0x1.3198a2ep-69));
    const auto r = fast_two_sum(r2.hi, (r1.lo + r2.lo) - n * 0x1.b839a252049c1p-104);
    return {r.hi, r.lo, n};
}

/// (sin(r) - r) / r³, (cos(r) - 1 + r²/2) / r⁴, z = r².
template <class W>
SINTER_INLINE packet<double, W> sin_tail(packet<double, W> z) {
    return polynomial(z, -0.16666666666666666, 0.008333333333330925, -0.00019841269836722437, 2.755731608382574e-06,
                      -2.505112794596564e-08, 1.591784866512194e-10);
}
template <class W>
SINTER_INLINE packet<double, W> cos_tail(packet<double, W> z) {
    return polynomial(z, 0.041666666666666664, -0.0013888888888887382, 2.480158729874308e-05, -2.755731726001471e-07,
                      2.0876143829213935e-09, -1.1382456865840483e-11);
}

/// sin and cos of a quadrant's rest as double words.
template <class W>
SINTER_INLINE double_word<packet<double, W>> sin_of(const quadrant<double, W>& q) {
    const auto z = q.r * q.r;
    return fast_two_sum(q.r, q.r_lo + (q.r * z * sin_tail(z) - 0.5 * z * q.r_lo));
}
template <class W>
SINTER_INLINE double_word<packet<double, W>> cos_of(const quadrant<double, W>& q) {
    using P = packet<double, W>;
    const auto z = two_product(q.r, q.r);
    const auto w = fast_two_sum(P::splat(1), z.hi * -0.5);
    return fast_two_sum(w.hi, w.lo + (z.hi * z.hi * cos_tail(z.hi) - q.r * q.r_lo - 0.5 * z.lo));
}

/// Which of the four quadrants n is in: whether sin and cos change places, and whether the sign turns.
template <class W>
SINTER_INLINE auto odd_quadrant(packet<double, W> n) {
    return rint(n * 0.5) != n * 0.5;
}
template <class W>
SINTER_INLINE auto lower_half(packet<double, W> n) { // n mod 4 is 2 or 3
    const auto half = floor(n * 0.5);
    return rint(half * 0.5) != half * 0.5;
}

/// The sine, of any argument. Error 0.6 ulp. NaN for ±∞.
template <class T, class W>
SINTER_INLINE packet<T, W> sin(packet<T, W> x) {
    if constexpr (std::is_same_v<T, float>) {
        return to_float(sin(to_double(x)));
    } else {
        const auto q = reduce_quadrant(x);
        const auto s = sin_of(q), c = cos_of(q);
        const auto v = select(odd_quadrant(q.n), c.hi, s.hi);
        auto result = select(lower_half(q.n), -v, v);
        result = select(q.n == T(0), select(x == T(0), x, result), result);
        const auto far = ~(abs(x) < reducible<W>);
        if (any_lane(far)) result = select(far, rare_lanes<T>(std::sin, x), result);
        return result;
    }
}

/// The cosine, of any argument. Error 0.6 ulp. NaN for ±∞.
template <class T, class W>
SINTER_INLINE packet<T, W> cos(packet<T, W> x) {
    if constexpr (std::is_same_v<T, float>) {
        return to_float(cos(to_double(x)));
    } else {
        const auto q = reduce_quadrant(x);
        const auto s = sin_of(q), c = cos_of(q);
        const auto v = select(odd_quadrant(q.n), s.hi, c.hi);
        auto result = select(lower_half(q.n + T(1)), -v, v);
        const auto far = ~(abs(x) < reducible<W>);
        if (any_lane(far)) result = select(far, rare_lanes<T>(std::cos, x), result);
        return result;
    }
}

/// The tangent, of any argument. Error 0.6 ulp. NaN for ±∞.
template <class T, class W>
SINTER_INLINE packet<T, W> tan(packet<T, W> x) {
    if constexpr (std::is_same_v<T, float>) {
        return to_float(tan(to_double(x)));
    } else {
        const auto q = reduce_quadrant(x);
        const auto s = sin_of(q), c = cos_of(q);
        const auto odd = odd_quadrant(q.n);
        const auto t = select(odd, -c, s) / select(odd, s, c);
        auto result = select(x == T(0), x, t.hi + t.lo);
        const auto far = ~(abs(x) < reducible<W>);
        if (any_lane(far)) result = select(far, rare_lanes<T>(std::tan, x), result);
        return result;
    }
}

// ---- inverses

/// atan(y / x) for y, x ≥ 0, not both 0 or infinite, as a double word.
template <class W>
SINTER_INLINE double_word<packet<double, W>> atan_of_quotient(packet<double, W> y, packet<double, W> x) {
    using P = packet<double, W>;
    // atan(t) is atan((t - k) / (1 + k t)) + atan(k), with k = 0, 1 or ∞, whichever leaves the least.
    const auto steep = y > 2.414213562373095 * x, flat = y < 0.4142135623730951 * x;
    const auto difference = two_sum(y, -x), sum = two_sum(y, x);
    const double_word<P> numerator = select(flat, double_word<P>{y, P{}}, select(steep, double_word<P>{-x, P{}}, difference));
    const double_word<P> denominator = select(flat, double_word<P>{x, P{}}, select(steep, double_word<P>{y, P{}}, sum));
    const auto q = numerator / denominator;
    const P z = q.hi * q.hi;
    const P rest = q.lo + q.hi * z *
                              polynomial(z, -0.3333333333333333, 0.199999999999998, -0.14285714285659326, 0.11111111105106705,
                                         -0.09090908751076636, 0.0769229630497447, -0.06666423628069258, 0.058789145444006215,
                                         -0.052303478730160745, 0.04551108126325172, -0.034558092551413795, 0.01627194475162406);
    const P offset = select(flat, P{}, select(steep, P::splat(0x1.921fb54442d18p+0), P::splat(0x1.921fb54442d18p-1)));
    const P offset_lo = select(flat, P{}, select(steep, P::splat(0x1.1a62633145c07p-54), P::splat(0x1.1a62633145c07p-55)));
    const auto head = fast_two_sum(offset, q.hi);
    return fast_two_sum(select(flat, q.hi, head.hi), select(flat, P{}, head.lo) + (offset_lo + rest));
}

/// The angle whose tangent is x, from -π/2 to π/2. Error 0.6 ulp.
template <class T, class W>
SINTER_INLINE packet<T, W> atan(packet<T, W> x) {
    if constexpr (std::is_same_v<T, float>) {
        return to_float(atan(to_double(x)));
    } else {
        using P = packet<T, W>;
        const P a = abs(x);
        // Beyond 2^60 the result is π/2, and below 2^-600 it is x.
        const auto r = atan_of_quotient(select(a > T(0x1p60), T(0x1p60), a), P::splat(1));
        const P result = select(a < T(0x1p-600), x, copysign(r.hi, x));
        return select(isnan(x), x, result);
    }
}

/// The angle of the point (x, y), from -π to π, with signed zeros and infinities as in C. Error 0.6 ulp.
template <class T, class W>
SINTER_INLINE packet<T, W> atan2(packet<T, W> y, packet<T, W> x) {
    if constexpr (std::is_same_v<T, float>) {
        return to_float(atan2(to_double(y), to_double(x)));
    } else {
        using P = packet<T, W>;
        // Infinite coordinates count as 1 beside finite ones, which count as 0.
        const auto infinite = (abs(x) == infinity<T>) | (abs(y) == infinity<T>);
        P a = select(infinite, select(abs(x) == infinity<T>, P::splat(1), P{}), abs(x));
        P b = select(infinite, select(abs(y) == infinity<T>, P::splat(1), P{}), abs(y));
        // Scaled so that sums do not overflow, nor quotients of tiny numbers lose digits.
        const P most = select(a > b, a, b);
        const P factor = select(most > T(0x1p1000), P::splat(T(0x1p-200)), select(most < T(0x1p-800), P::splat(T(0x1p200)), P::splat(1)));
        a = a * factor;
        b = b * factor;
        const auto r = atan_of_quotient(b, a);
        // The lesser part of a quotient that underflows is not exact, nor needed.
        const auto tiny = b < a * T(0x1p-900);
        const P direct = select(tiny, b / a, r.hi);
        const P pi = P::splat(0x1.921fb54442d18p+1), pi_lo = P::splat(0x1.1a62633145c07p-53);
        const auto turned = two_sum(pi, -direct);
        const P behind = turned.hi + (turned.lo + (pi_lo - select(tiny, P{}, r.lo)));
        P result = select(signbit(x), behind, direct);
        const auto at_origin = (a == P{}) & (b == P{});
        result = select(at_origin, select(signbit(x), pi, P{}), result);
        return select(isnan(x) | isnan(y), quiet_nan<T>, copysign(result, y));
    }
}

/// (asin(x) - x) / x³ for z = x² ≤ ¼.
template <class W>
SINTER_INLINE packet<double, W> asin_tail(packet<double, W> z) {
    return polynomial(z, 0.16666666666666669, 0.07499999999998433, 0.04464285714635543, 0.030381944138531247, 0.02237217294214989,
                      0.017352392720869973, 0.013971212973552933, 0.011479177415184906, 0.01032281435018578, 0.005457506718640358,
                      0.01740087944269402, -0.014851887071247204, 0.028757851367421566);
}

/// The angle whose sine is x, from -π/2 to π/2; NaN beyond ±1. Error 0.8 ulp.
template <class T, class W>
SINTER_INLINE packet<T, W> asin(packet<T, W> x) {
    if constexpr (std::is_same_v<T, float>) {
        return to_float(asin(to_double(x)));
    } else {
        using P = packet<T, W>;
        const P a = abs(x);
        // asin(a) = π/2 - 2 asin(√((1 - a) / 2)) for a > ½.
        const auto small = a <= T(0.5);
        const P z = select(small, a * a, (T(1) - a) * T(0.5));
        const auto root = sqrt(double_word<P>{z, P{}});
        const P s = select(small, a, root.hi);
        const P rest = s * z * asin_tail(z);
        const P half_pi = P::splat(0x1.921fb54442d18p+0), half_pi_lo = P::splat(0x1.1a62633145c07p-54);
        const auto head = fast_two_sum(half_pi, s * T(-2));
        const P large = head.hi + (head.lo + (half_pi_lo - T(2) * (root.lo + rest)));
        const P result = select(small, s + rest, large);
        return select(a > T(1), quiet_nan<T>, copysign(result, x));
    }
}

/// The angle whose cosine is x, from 0 to π; NaN beyond ±1. Error 0.8 ulp.
template <class T, class W>
SINTER_INLINE packet<T, W> acos(packet<T, W> x) {
    if constexpr (std::is_same_v<T, float>) {
        return to_float(acos(to_double(x)));
    } else {
        using P = packet<T, W>;
        const P a = abs(x);
        const auto small = a <= T(0.5);
        const P z = select(small, a * a, (T(1) - a) * T(0.5));
        const auto root = sqrt(double_word<P>{z, P{}});
        const P s = select(small, x, root.hi);
        const P rest = s * z * asin_tail(z);
        const P half_pi = P::splat(0x1.921fb54442d18p+0), half_pi_lo = P::splat(0x1.1a62633145c07p-54);
        const auto near_half_pi = fast_two_sum(half_pi, -s);
        const P middle = near_half_pi.hi + (near_half_pi.lo + (half_pi_lo - rest));
        const P right = T(2) * (s + (root.lo + rest));
        const auto from_pi = fast_two_sum(half_pi * T(2), s * T(-2));
        const P left = from_pi.hi + (from_pi.lo + T(2) * (half_pi_lo - (root.lo + rest)));
        const P result = select(small, middle, select(x < P{}, left, right));
        return select(a > T(1), quiet_nan<T>, select(isnan(x), x, result));
    }
}

} // namespace sinter::detail

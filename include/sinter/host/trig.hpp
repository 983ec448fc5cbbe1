// sinter/host/trig.hpp -- stage 4: circular functions and their inverses.
//
// Polynomials are minimax fits (Remez, 50 digits) of the functions named beside them. Errors are the greatest measured over
// all instruction sets, in units in the last place (ulp). float functions have float arithmetic.
#pragma once

#include <sinter/host/exponential.hpp>

namespace sinter::detail {

// ---- reduction to a quarter turn

/// |x| up to which reduce_quadrant is accurate; beyond it the C library computes.
template <class T, class W>
inline constexpr T reducible = std::is_same_v<T, float> ? T(0x1p16) : W::has_fma ? T(0x1p30) : T(0x1p22);

/// x = n π/2 + r + r_lo with |r| hardly more than π/4; the low bits of `bits` are n's.
template <class T, class W>
struct quadrant {
    packet<T, W> r, r_lo;
    packet<unsigned_bits<T>, W> bits;
};

/// Cody and Waite's reduction. Every step but the last is exact: with fma because x and n π/2 nearly agree, without it
/// because the parts of π/2 are short. Without Rest, r_lo is 0 and r rounded: half an ulp, one where steps cancel.
template <bool Rest, class T, class W>
SINTER_INLINE quadrant<T, W> reduce_quadrant(packet<T, W> x) {
    using P = packet<T, W>;
    const P shifted = mul_add(x, T(0.6366197723675814), P::splat(integer_shift<T>));
    const P n = shifted - integer_shift<T>;
    const auto bits = bits_as<unsigned_bits<T>>(shifted);
    if constexpr (W::has_fma) {
        constexpr bool single = std::is_same_v<T, float>;
        const P part1 = P::splat(single ? T(0x1.921fb6p+0) : T(0x1.921fb54442d18p+0));
        const P part2 = P::splat(single ? T(-0x1.777a5cp-25) : T(0x1.1a62633145c07p-54));
        const P part3 = P::splat(single ? T(-0x1.ee59dap-50) : T(-0x1.f1976b7ed8fbcp-110));
        const P r1 = fma(-n, part1, x);
        if constexpr (Rest) {
            const P product = n * part2, product_lo = fma(n, part2, -product);
            const P r = r1 - product;
            return {r, fma(-n, part3, ((r1 - r) - product) - product_lo), bits};
        } else {
            return {fma(-n, part3, fma(-n, part2, r1)), P{}, bits};
        }
    } else if constexpr (std::is_same_v<T, float>) {
        const auto wide_n = to_double(n);
        const auto wide = (to_double(x) - wide_n * 0x1.921fb544p+0) - wide_n * 0x1.0b4611a626331p-34;
        const P r = to_float(wide);
        return {r, to_float(wide - to_double(r)), bits};
    } else {
        const P r1 = x - n * T(0x1.921fb54p+0);
        const auto r2 = two_sum(r1, n * T(-0x1.10b46118p-30));
        const auto r3 = two_sum(r2.hi, n * T(-0x1.313198ap-61));
        const auto r = fast_two_sum(r3.hi, (r2.lo + r3.lo) - n * T(0x1.701b839a25205p-92));
        return {r.hi, r.lo, bits};
    }
}

/// sin(r) for r ≥ 0 and cos(r), |r| ≤ π/4, z = r².
template <class T, class W>
SINTER_INLINE packet<T, W> sin_near(packet<T, W> r, packet<T, W> z) {
    packet<T, W> tail;
    if constexpr (std::is_same_v<T, float>)
        tail = polynomial(z, -0.166666538, 0.00833211187, -0.000195086366);
    else
        tail = polynomial(z, -0.16666666666666627, 0.008333333333320949, -0.00019841269828625482, 2.7557313278116316e-06,
                          -2.505069277074807e-08, 1.5892977087375905e-10);
    return mul_add(r * z, tail, r);
}
template <class T, class W>
SINTER_INLINE packet<T, W> cos_near(packet<T, W> z) {
    packet<T, W> tail;
    if constexpr (std::is_same_v<T, float>)
        tail = polynomial(z, -0.5, 0.0416666456, -0.00138872513, 2.44256717e-05);
    else
        tail = polynomial(z, -0.5, 0.04166666666666658, -0.0013888888888871377, 2.48015872877844e-05, -2.75573138658439e-07,
                          2.087565759489918e-09, -1.135626691823051e-11);
    return mul_add(z, tail, T(1));
}

/// Bit `Bit` of n moved to the place of the sign.
template <int Bit, class U, class W>
SINTER_INLINE packet<U, W> as_sign(packet<U, W> n) {
    return packet<U, W>{n.v << (8 * static_cast<int>(sizeof(U)) - 1 - Bit)} & static_cast<U>(U{1} << (8 * sizeof(U) - 1));
}
template <class U, class W>
SINTER_INLINE auto is_odd(packet<U, W> n) {
    return (n & U{1}) != packet<U, W>{};
}

/// sin(x + turns π/2), whose sign is also that of `sign`.
template <class T, class W>
SINTER_INLINE packet<T, W> sin_in_range(packet<T, W> x, unsigned_bits<T> turns, packet<unsigned_bits<T>, W> sign) {
    const auto q = reduce_quadrant<false>(x);
    const auto n = q.bits + turns;
    const auto z = q.r * q.r;
    const auto v = select(is_odd(n), cos_near(z), sin_near(q.r, z));
    return bits_as<T>(bits_as<unsigned_bits<T>>(v) ^ as_sign<1>(n) ^ sign);
}
template <class T, class W>
SINTER_INLINE packet<unsigned_bits<T>, W> sign_of(packet<T, W> x) {
    return bits_as<unsigned_bits<T>>(x) & sign_bit<T>;
}

/// The sine, of any argument. Error 1.5 ulp. NaN for ±∞.
template <class T, class W>
SINTER_INLINE packet<T, W> sin(packet<T, W> x) {
    const auto a = abs(x);
    const auto result = sin_in_range(a, 0, sign_of(x));
    const auto far = a > reducible<T, W>;
    if (any_lane(far)) [[unlikely]]
        return select(far, rare_lanes<T>(std::sin, x), result);
    return result;
}

/// The cosine, of any argument. Error 1.5 ulp in double, 1.6 in float. NaN for ±∞.
template <class T, class W>
SINTER_INLINE packet<T, W> cos(packet<T, W> x) {
    const auto a = abs(x);
    const auto result = sin_in_range(a, 1, packet<unsigned_bits<T>, W>{});
    const auto far = a > reducible<T, W>;
    if (any_lane(far)) [[unlikely]]
        return select(far, rare_lanes<T>(std::cos, x), result);
    return result;
}

/// The tangent, of any argument. Error 1.4 ulp in double, 1.3 in float. NaN for ±∞.
template <class T, class W>
SINTER_INLINE packet<T, W> tan(packet<T, W> x) {
    using P = packet<T, W>;
    const P a = abs(x);
    const auto q = reduce_quadrant<true>(a);
    const P z = q.r * q.r;
    P tail;
    if constexpr (std::is_same_v<T, float>)
        tail = polynomial(z, 0.333333522, 0.133325592, 0.0540720336, 0.0212181006, 0.0110055311, -0.00012982334, 0.00448640203);
    else
        tail = polynomial(z, 0.3333333333333257, 0.13333333333443104, 0.05396825391317824, 0.021869489929507303,
                          0.00886321468893014, 0.003592329101573357, 0.0014545169231473083, 0.0005960704889938235,
                          0.00021943744403016185, 0.00014254265676658763, -3.480924321863491e-05, 9.714208542140873e-05,
                          -4.900069672924424e-05, 2.1848705335772158e-05);
    // tan(r + r_lo) is r + rest.
    const P rest = mul_add(q.r * z, tail, mul_add(q.r_lo, z, q.r_lo));
    const P t = q.r + rest;
    // In odd quadrants the result is -1 / tan; what t lost by rounding is made good.
    const P inverse = T(-1) / t;
    const P lost = (q.r - t) + rest;
    const P v = select(is_odd(q.bits), mul_add(inverse * inverse, lost, inverse), t);
    const P result = bits_as<T>(bits_as<unsigned_bits<T>>(v) ^ sign_of(x));
    const auto far = a > reducible<T, W>;
    if (any_lane(far)) [[unlikely]]
        return select(far, rare_lanes<T>(std::tan, x), result);
    return result;
}

// ---- inverses

/// π as the sum of two numbers.
template <class T>
inline constexpr T pi_hi = std::is_same_v<T, float> ? T(0x1.921fb6p+1) : T(0x1.921fb54442d18p+1);
template <class T>
inline constexpr T pi_lo = std::is_same_v<T, float> ? T(-0x1.777a5cp-24) : T(0x1.1a62633145c07p-53);

/// atan(t) for 0 ≤ t ≤ 1.
template <class T, class W>
SINTER_INLINE packet<T, W> atan_near(packet<T, W> t) {
    const auto z = t * t;
    packet<T, W> tail;
    if constexpr (std::is_same_v<T, float>)
        tail = polynomial(z, -0.333332986, 0.199985489, -0.142642453, 0.109522015, -0.0840349421, 0.0579583049, -0.0311785266,
                          0.0109149572, -0.00179369748);
    else
        tail = polynomial(z, -0.3333333333333186, 0.19999999999755194, -0.14285714271341404, 0.1111111067888341, -0.090909012371344,
                          0.07692212946089265, -0.06665860463546908, 0.05877308253557303, -0.05239234756719989, 0.04673954503500392,
                          -0.040926487541895165, 0.0340679860968588, -0.025827021402824748, 0.0169782557559997,
                          -0.009184720449216695, 0.003856060572926325, -0.0011641028855318763, 0.00022302931547644946,
                          -2.0259261454505683e-05);
    return mul_add(t * z, tail, t);
}

/// The angle whose tangent is x, from -π/2 to π/2. Error 1.7 ulp in double, 1.6 in float.
template <class T, class W>
SINTER_INLINE packet<T, W> atan(packet<T, W> x) {
    const auto a = abs(x);
    const auto steep = a > T(1);
    const auto t = atan_near(select(steep, T(1) / a, a));
    return copysign(select(steep, pi_hi<T> / 2 - (t - pi_lo<T> / 2), t), x);
}

/// The angle of the point (x, y), from -π to π, with signed zeros and infinities as in C. Error 1.8 ulp in double, 1.5 in float.
template <class T, class W>
SINTER_INLINE packet<T, W> atan2(packet<T, W> y, packet<T, W> x) {
    using P = packet<T, W>;
    const P a = abs(x), b = abs(y);
    const auto steep = b > a;
    const P most = select(steep, b, a), least = select(steep, a, b);
    // Infinities count as equal, and 0 / 0 as 0.
    P t = atan_near(select(most == least, select(most == P{}, most, P::splat(1)), least / most));
    // t, π/2 - t, π/2 + t or π - t
    const auto behind = signbit(x);
    const P offset = select(steep, P::splat(pi_hi<T> / 2), select(behind, pi_hi<T>, P{}));
    const P offset_lo = select(steep, P::splat(pi_lo<T> / 2), select(behind, pi_lo<T>, P{}));
    t = select(steep != behind, -t, t);
    return copysign(offset + (t + offset_lo), y);
}

/// (asin(s) - s) / s³ for z = s² ≤ ¼.
template <class T, class W>
SINTER_INLINE packet<T, W> asin_tail(packet<T, W> z) {
    if constexpr (std::is_same_v<T, float>)
        return polynomial(z, 0.166667521, 0.0749529898, 0.0454702154, 0.0241802651, 0.04216519);
    else
        return polynomial(z, 0.1666666666666541, 0.07500000000336735, 0.04464285682855912, 0.030381959127519762, 0.02237175827326732,
                          0.017359701484296164, 0.01388526687664295, 0.012169012513086764, 0.006528804238763888,
                          0.019526085841880446, -0.016220970895460117, 0.03191011168707266);
}

/// s + tail is asin(a) for a ≤ ½, and half of acos(a) above: π/2 - asin(a) = 2 asin(√((1 - a) / 2)).
template <class T, class W>
struct arc {
    packet<T, W> s, tail;
};
template <class T, class W>
SINTER_INLINE arc<T, W> asin_or_half_acos(packet<T, W> a) {
    const auto small = a <= T(0.5);
    const auto z = select(small, a * a, (T(1) - a) * T(0.5));
    const auto s = select(small, a, sqrt(z));
    return {s, s * z * asin_tail(z)};
}

/// The angle whose sine is x, from -π/2 to π/2; NaN beyond ±1. Error 1.3 ulp in double, 1.2 in float.
template <class T, class W>
SINTER_INLINE packet<T, W> asin(packet<T, W> x) {
    const auto a = abs(x);
    const auto [s, tail] = asin_or_half_acos(a);
    const auto head = fast_two_sum(packet<T, W>::splat(pi_hi<T> / 2), T(-2) * s);
    const auto large = head.hi + (head.lo - (tail + tail - pi_lo<T> / 2));
    return copysign(select(a <= T(0.5), s + tail, large), x);
}

/// The angle whose cosine is x, from 0 to π; NaN beyond ±1. Error 1.3 ulp in double, 1.2 in float.
template <class T, class W>
SINTER_INLINE packet<T, W> acos(packet<T, W> x) {
    using P = packet<T, W>;
    const auto a = abs(x);
    const auto small = a <= T(0.5), negative = x < P{};
    const auto [s, tail] = asin_or_half_acos(a);
    // Near 0 π/2 ∓ p, near 1 2 p, near -1 π - 2 p, where p = s + tail.
    const P offset = select(small, P::splat(pi_hi<T> / 2), select(negative, pi_hi<T>, P{}));
    const P offset_lo = select(small, P::splat(pi_lo<T> / 2), select(negative, pi_lo<T>, P{}));
    const P p = s + tail, q = select(small, p, p + p);
    return offset + (select(small != negative, -q, q) + offset_lo);
}

} // namespace sinter::detail

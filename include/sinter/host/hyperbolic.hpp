// sinter/host/hyperbolic.hpp -- stage 4: hyperbolic functions and their inverses.
//
// Polynomials are minimax fits (Remez, 50 digits) of the functions named beside them. Errors are the greatest measured over
// all instruction sets, in units in the last place (ulp). float functions have float arithmetic.
#pragma once

#include <sinter/host/exponential.hpp>

namespace sinter::detail {

/// ln 2 as the sum of two numbers, of which the first has so few bits that its product with an exponent is exact.
template <class T>
inline constexpr T ln2_hi = std::is_same_v<T, float> ? T(0x1.62e4p-1) : T(0x1.62e42fefa2p-1);
template <class T>
inline constexpr T ln2_lo = std::is_same_v<T, float> ? T(0x1.7f7d1cp-20) : T(0x1.9ef35793c7673p-41);

// ---- sinh, cosh, tanh

/// 2^k sinh(r) and cosh(r) of |x| = k ln 2 + r, as what sinh and cosh of x are composed of:
/// sinh x = sinh(k ln 2) cosh r + cosh(k ln 2) sinh r, and cosh x with both factors exchanged.
template <class T, class W>
struct hyperbolic_parts {
    packet<T, W> r;           // sinh r, without
    packet<T, W> sinh_rest;   // this
    packet<T, W> cosh_less_1; // cosh r - 1
    packet<T, W> half_sinh_k, half_cosh_k, up, down; // up ± down
};
template <class T, class W>
SINTER_INLINE hyperbolic_parts<T, W> split_hyperbolic(packet<T, W> a) {
    using P = packet<T, W>;
    constexpr bool single = std::is_same_v<T, float>;
    const P b = lesser(P::splat(single ? T(89.5) : T(710.6)), a); // both overflow there; NaN stays
    const P k = mul_add(b, T(1.4426950408889634), P::splat(integer_shift<T>)) - integer_shift<T>;
    const P r_hi = mul_add(k, -ln2_hi<T>, b), r_lo = k * -ln2_lo<T>;
    const P r = r_hi + r_lo;
    const P z = r * r;
    P odd, even;
    if constexpr (single) {
        odd = polynomial(z, 0.16666539, 0.00836720783);
        even = polynomial(z, 0.5, 0.0416662544, 0.00139471714);
    } else {
        odd = polynomial(z, 0.16666666666666677, 0.008333333333320713, 0.00019841269888747624, 2.7557241305493934e-06,
                         2.5110131499340643e-08);
        even = polynomial(z, 0.5, 0.04166666666666672, 0.0013888888888862188, 2.4801587366679896e-05, 2.755723906552314e-07,
                          2.092527798570506e-09);
    }
    // Beyond k = 60 e^-a does not count.
    const P up = power_of_two(k - T(2)), down = power_of_two(T(-2) - lesser(P::splat(60), k));
    return {r_hi, mul_add(r * z, odd, r_lo), z * even, up - down, up + down, up, down};
}

/// The hyperbolic sine. Error 1.5 ulp in double, 1.4 in float.
template <class T, class W>
SINTER_INLINE packet<T, W> sinh(packet<T, W> x) {
    const auto a = abs(x);
    const auto p = split_hyperbolic(a);
    const auto rest = mul_add(p.half_cosh_k, p.sinh_rest, p.half_sinh_k * p.cosh_less_1);
    const auto half = p.half_sinh_k + mul_add(p.half_cosh_k, p.r, rest);
    constexpr T tiny = std::is_same_v<T, float> ? T(0x1p-13) : T(0x1p-28); // half a subnormal would lose a bit
    return select(a < tiny, x, copysign(half + half, x));
}

/// The hyperbolic cosine. Error 1.2 ulp.
template <class T, class W>
SINTER_INLINE packet<T, W> cosh(packet<T, W> x) {
    const auto p = split_hyperbolic(abs(x));
    const auto rest = mul_add(p.half_sinh_k, p.sinh_rest, p.half_cosh_k * p.cosh_less_1);
    const auto half = p.up + (p.down + mul_add(p.half_sinh_k, p.r, rest)); // up + down may be rounded
    return half + half;
}

/// The hyperbolic tangent. Error 1.9 ulp in double, 1.4 in float.
template <class T, class W>
SINTER_INLINE packet<T, W> tanh(packet<T, W> x) {
    using P = packet<T, W>;
    const P a = abs(x), z = x * x;
    if constexpr (std::is_same_v<T, float>) {
        const P near = mul_add(x * z, polynomial(z, -0.3333333312, 0.1333329635, -0.05395759513, 0.02175570035, -0.008301695361, 0.002246003686), x);
        const P twice = lesser(P::splat(20), a + a); // NaN stays
        const P far = T(1) - T(2) / (exp_in_range(twice) + T(1));
        return copysign(select(a < T(0.64), near, far), x);
    } else {
        const P near = x + x * z * polynomial(z, -0.3333333333333333, 0.1333333333333333, -0.05396825396824835, 0.02186948853573452,
                                              -0.0088632355135931, 0.0035921276627198383, -0.0014558289383351634, 0.0005899749383754306,
                                              -0.00023878930525840224, 9.544524503270839e-05, -3.514809431531453e-05, 8.859223816010494e-06);
        const P twice = lesser(P::splat(40), a + a); // NaN stays
        const P far = T(1) - T(2) / (exp_in_range(twice) + T(1));
        return copysign(select(a < T(0.5), near, far), x);
    }
}

// ---- inverses

/// a b - product exactly, where product is a b rounded.
template <class T, class W>
SINTER_INLINE packet<T, W> product_error(packet<T, W> a, packet<T, W> b, packet<T, W> product) {
    if constexpr (W::has_fma) {
        return fma(a, b, -product);
    } else {
        using U = unsigned_bits<T>;
        constexpr U upper = ~static_cast<U>(std::is_same_v<T, float> ? 0xfff : 0x7ffffff); // products of halves are exact
        const auto a_hi = bits_as<T>(bits_as<U>(a) & upper), a_lo = a - a_hi;
        const auto b_hi = bits_as<T>(bits_as<U>(b) & upper), b_lo = b - b_hi;
        return ((a_hi * b_hi - product) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo;
    }
}

/// log(h + l) + more ln 2 for h ≥ 1 and l of about half an ulp, or more where h is 1; relative to a result near 0 too.
template <class T, class W>
SINTER_INLINE packet<T, W> log_of_sum(packet<T, W> h, packet<T, W> l, packet<T, W> more) {
    using P = packet<T, W>;
    const auto [m, e] = split_normal(h);
    const P f = m - T(1), f_lo = l * power_of_two(-lesser(P::splat(100), e)); // where e is more, l is 0
    const P g = f + f_lo, g_lo = (f - g) + f_lo;
    P tail; // (log(1 + g) - g + g²/2) / g³
    if constexpr (std::is_same_v<T, float>)
        tail = polynomial(g, 0.333333313, -0.250008225, 0.200012401, -0.166233093, 0.142014161, -0.131603777, 0.127641886,
                          -0.0763723478);
    else
        tail = polynomial(g, 0.3333333333333314, -0.24999999999987915, 0.2000000000006666, -0.1666666666984033, 0.14285714280103648,
                          -0.12499999690207637, 0.11111111145288824, -0.10000015257157825, 0.09090924064962448, -0.0833291244692229,
                          0.07691525975675477, -0.07149451032609716, 0.06684646648952587, -0.06196645232581637, 0.05667953411194139,
                          -0.056774447000298635, 0.06504597769303679, -0.059838604822655475, 0.026161737031066574);
    const P n = e + more;
    const P rest = mul_add(g * g, mul_add(g, tail, P::splat(T(-0.5))), mul_add(n, ln2_lo<T>, g_lo));
    return mul_add(n, ln2_hi<T>, g + rest);
}

/// log(a + √(a² + Sign)) for a ≥ 0, or ≥ 1 where Sign is -1.
template <int Sign, class T, class W>
SINTER_INLINE packet<T, W> log_with_root(packet<T, W> a) {
    using P = packet<T, W>;
    constexpr T most = std::is_same_v<T, float> ? T(0x1p20) : T(0x1p40);
    const auto huge = a > most; // log(2 a)
    const P b = lesser(P::splat(most), a);
    // Square and root with the errors of their rounding.
    const P product = b * b;
    const auto square = two_sum(product, P::splat(Sign));
    const P square_lo = square.lo + product_error(b, b, product);
    const P root = sqrt(square.hi);
    const P residue = square_lo - product_error(root, root, square.hi);
    const P root_lo = residue / greater(root + root, P::splat(std::numeric_limits<T>::min()));
    const auto sum = Sign > 0 ? fast_two_sum(root, b) : fast_two_sum(b, root);
    return log_of_sum(select(huge, a, sum.hi), select(huge, P{}, sum.lo + root_lo), select(huge, P::splat(1), P{}));
}

/// The number whose hyperbolic sine is x. Error 1.2 ulp.
template <class T, class W>
SINTER_INLINE packet<T, W> asinh(packet<T, W> x) {
    constexpr T tiny = std::is_same_v<T, float> ? T(0x1p-13) : T(0x1p-28);
    const auto a = abs(x);
    return select((a > tiny) & (a < infinity<T>), copysign(log_with_root<1>(a), x), x);
}

/// The positive number whose hyperbolic cosine is x ≥ 1; NaN below. Error 1.1 ulp.
template <class T, class W>
SINTER_INLINE packet<T, W> acosh(packet<T, W> x) {
    const auto result = select(x < infinity<T>, log_with_root<-1>(x), x);
    return select(x < T(1), quiet_nan<T>, result);
}

/// The number whose hyperbolic tangent is x; ±∞ at ±1, NaN beyond. Error 1.5 ulp.
template <class T, class W>
SINTER_INLINE packet<T, W> atanh(packet<T, W> x) {
    using P = packet<T, W>;
    using U = unsigned_bits<T>;
    // log((1 + a) / (1 - a)) / 2, where the quotient is 2^k (1 + s) / (1 - s), is k ln 2 / 2 + atanh(s). Sums are exact.
    const P a = abs(x);
    const auto up = fast_two_sum(P::splat(1), a), down = fast_two_sum(P::splat(1), -a);
    // Bits of floats are almost their logarithms: so -0.06 < s < 0.33, and k is 0 for small a.
    constexpr U tenth = static_cast<U>((U{1} << mantissa_bits<T>) / 10);
    const packet<U, W> k_bits{(bits_as<U>(up.hi) - bits_as<U>(down.hi) + tenth).v >> mantissa_bits<T>};
    const P k = bits_as<T>(k_bits + bits_as<U>(P::splat(integer_shift<T>))) - integer_shift<T>;
    const P power = power_of_two(-k);
    const P numerator = (up.hi * power - down.hi) + (up.lo * power - down.lo);
    const P denominator = (up.hi * power + down.hi) + (up.lo * power + down.lo);
    const P s = numerator / denominator;
    const P z = s * s;
    P tail;
    if constexpr (std::is_same_v<T, float>)
        tail = polynomial(z, 0.333331853, 0.200122476, 0.139745817, 0.141440466);
    else
        tail = polynomial(z, 0.3333333333333306, 0.20000000000113652, 0.14285714269305083, 0.11111112282091351, 0.09090861204724435,
                          0.07693514069477829, 0.06647360699860531, 0.06078106770501803, 0.040593619493580965, 0.08716181438059914);
    const P rest = mul_add(s * z, tail, k * (ln2_lo<T> / 2));
    const P inside = mul_add(k, ln2_hi<T> / 2, s + rest);
    const P outside = select(a == T(1), infinity<T>, P::splat(quiet_nan<T>));
    return copysign(select(a < T(1), inside, outside), x);
}

} // namespace sinter::detail

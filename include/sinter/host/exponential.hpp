// sinter/host/exponential.hpp -- stage 4: exp, log and their variants, and the pieces that other functions are made of.
//
// Polynomials are Chebyshev interpolants of the functions named beside them, computed with 60 digits. Errors are the greatest
// measured by bench/accuracy over all instruction sets, in units in the last place (ulp). float functions whose float
// arithmetic would lose too much are computed in double.
#pragma once

#include <sinter/host/double_word.hpp>

namespace sinter::detail {

/// float through double: to_float(f(to_double(x))) is f(x) with an error of hardly more than half an ulp.
template <class W>
SINTER_INLINE packet<double, W> to_double(packet<float, W> x) {
    return convert_in_range<double>(x);
}
template <class W>
SINTER_INLINE packet<float, W> to_float(packet<double, W> x) {
    return convert_in_range<float>(x);
}

// ---- powers of two

/// 1.5 times 2^23, 2^52: adding it moves an integral value into the low bits.
template <class T>
inline constexpr T integer_shift = std::is_same_v<T, float> ? T(0x1.8p23) : T(0x1.8p52);
template <class T>
inline constexpr int mantissa_bits = std::numeric_limits<T>::digits - 1;
template <class T>
inline constexpr int exponent_bias = std::numeric_limits<T>::max_exponent - 1;

/// 2^n for integral n from -126 to 127, -1022 to 1023.
template <class T, class W>
SINTER_INLINE packet<T, W> power_of_two(packet<T, W> n) {
    using U = unsigned_bits<T>;
    const auto bits = bits_as<U>(n + (integer_shift<T> + exponent_bias<T>));
    return bits_as<T>(packet<U, W>{bits.v << mantissa_bits<T>});
}

/// y 2^n, rounded once, for integral n of at most twice the exponent's range.
template <class T, class W>
SINTER_INLINE packet<T, W> scale(packet<T, W> y, packet<T, W> n) {
#if SINTER_MASK_REGISTERS // clang refuses the builtins outside functions with the target
    if constexpr (W::level == isa::v4 && in_several_registers<T, W>) {
        packet<T, W> r;
        for (int i = 0; i < W::lanes; i += half<W>::lanes) set_part(r, i, scale(part(y, i), part(n, i)));
        return r;
    } else if constexpr (W::level == isa::v4) {
        if constexpr (sizeof(y.v) == 64 && sizeof(T) == 4)
            return {__builtin_ia32_scalefps512_mask(y.v, n.v, y.v, -1, 4)};
        else if constexpr (sizeof(y.v) == 64)
            return {__builtin_ia32_scalefpd512_mask(y.v, n.v, y.v, -1, 4)};
        else if constexpr (sizeof(y.v) == 32 && sizeof(T) == 4)
            return {__builtin_ia32_scalefps256_mask(y.v, n.v, y.v, -1)};
        else if constexpr (sizeof(y.v) == 32)
            return {__builtin_ia32_scalefpd256_mask(y.v, n.v, y.v, -1)};
    }
#endif
    // In two steps, since 2^n itself may not be representable; the first is exact.
    const auto half_n = rint(n * T(0.5));
    return y * power_of_two(half_n) * power_of_two(n - half_n);
}

/// x = m 2^e with √½ ≤ m < √2, for positive normal x.
template <class T, class W>
struct mantissa_exponent {
    packet<T, W> m, e;
};
template <class T, class W>
SINTER_INLINE mantissa_exponent<T, W> split_normal(packet<T, W> x) {
    using U = unsigned_bits<T>;
    constexpr U root_half = std::is_same_v<T, float> ? U(0x3f3504f3) : U(0x3fe6a09e667f3bcd);
    constexpr U one = static_cast<U>(U(exponent_bias<T>) << mantissa_bits<T>);
    constexpr U fraction = (U{1} << mantissa_bits<T>) - 1;
    constexpr T shift = std::is_same_v<T, float> ? T(0x1p23) : T(0x1p52);
    const auto bits = bits_as<U>(x) + static_cast<U>(one - root_half);
    const packet<U, W> exponent{bits.v >> mantissa_bits<T>};
    const auto m = bits_as<T>((bits & fraction) + root_half);
    const auto e = bits_as<T>(exponent | bits_as<U>(packet<T, W>::splat(shift))) - (shift + exponent_bias<T>);
    return {m, e};
}
/// The same for positive x that may be subnormal.
template <class T, class W>
SINTER_INLINE mantissa_exponent<T, W> split_exponent(packet<T, W> x) {
    constexpr T up = std::is_same_v<T, float> ? T(0x1p25) : T(0x1p54), down = std::is_same_v<T, float> ? T(25) : T(54);
    const auto tiny = x < std::numeric_limits<T>::min();
    const auto split = split_normal(select(tiny, x * up, x));
    return {split.m, select(tiny, split.e - down, split.e)};
}

// ---- exp

/// e^(x + x_lo) = (hi + lo) 2^n, with an error of about 2^-60. |x| < 1500.
template <class W>
struct exp_parts {
    double_word<packet<double, W>> value;
    packet<double, W> n;
};
template <class W>
SINTER_INLINE packet<double, W> exp_tail(packet<double, W> r) { // (e^r - 1 - r) / r²
    return polynomial(r, 0.5, 0.1666666666666667, 0.04166666666666667, 0.008333333333326084, 0.0013888888888883711,
                      0.0001984126987500228, 2.480158732567746e-05, 2.755725517000089e-06, 2.755727347871858e-07,
                      2.5105312729622103e-08, 2.09147553258932e-09);
}
template <class W>
SINTER_INLINE exp_parts<W> exp_in_parts(packet<double, W> x, packet<double, W> x_lo) {
    using P = packet<double, W>;
    const P n = rint(x * 1.4426950408889634);
    // ln 2 in three parts, the first of which has 32 bits, so that its product with n is exact.
    const P r0 = x - n * 0x1.62e42feep-1;
    const auto product = two_product(n, P::splat(0x1.a39ef35793c76p-33));
    const auto r1 = two_sum(r0, -product.hi);
    const P lo = r1.lo - product.lo + x_lo;
    const auto r = fast_two_sum(r1.hi, lo);
    const auto one_r = fast_two_sum(P::splat(1), r.hi);
    const P rest = one_r.lo + (r.lo + r.hi * r.lo + r.hi * r.hi * exp_tail(r.hi));
    return {fast_two_sum(one_r.hi, rest), n};
}

/// e^x where neither the result nor 2^-n leaves the normal range.
template <class T, class W>
SINTER_INLINE packet<T, W> exp_in_range(packet<T, W> x) {
    using P = packet<T, W>;
    const P n = rint(x * T(1.4426950408889634));
    if constexpr (std::is_same_v<T, float>) {
        const P r = mul_add(n, P::splat(2.12194440e-4f), mul_add(n, P::splat(-0.693359375f), x));
        const P tail = polynomial(r, 0.5, 0.1666657667, 0.04166655421, 0.008363232884, 0.001392625083);
        return scale(mul_add(r * r, tail, r) + T(1), n);
    } else {
        const P hi = x - n * 0x1.62e42feep-1, lo = n * 0x1.a39ef35793c76p-33;
        const P r = hi - lo;
        const P r_lo = (hi - r) - lo;
        return scale((r + (r_lo + r * r * exp_tail(r))) + T(1), n);
    }
}

/// e^x. Error 0.9 ulp in double, 1.0 in float.
template <class T, class W>
SINTER_INLINE packet<T, W> exp(packet<T, W> x) {
    constexpr T most = std::is_same_v<T, float> ? T(89) : T(710), least = std::is_same_v<T, float> ? T(-104) : T(-746);
    return exp_in_range(bounded(x, least, most));
}

/// 2^x. Error 0.9 ulp in double, 1.0 in float.
template <class T, class W>
SINTER_INLINE packet<T, W> exp2(packet<T, W> x) {
    using P = packet<T, W>;
    constexpr T most = std::is_same_v<T, float> ? T(129) : T(1025), least = std::is_same_v<T, float> ? T(-151) : T(-1076);
    const P y = bounded(x, least, most);
    const P n = rint(y);
    const P r = y - n;
    if constexpr (std::is_same_v<T, float>)
        return scale(mul_add(r, polynomial(r, 0.6931471806, 0.2402265092, 0.05550410884, 0.009618056679, 0.001333350239, 0.000154614447, 1.529732376e-05), T(1)), n);
    else
        return scale(mul_add(r, polynomial(r, 0.6931471805599453, 0.24022650695910097, 0.0555041086648216, 0.009618129107606888,
                                           0.0013333558146416936, 0.0001540353044173605, 1.525273382983612e-05, 1.321544258792169e-06,
                                           1.0178062445845774e-07, 7.072585949269223e-09, 4.4549605981865186e-10), T(1)), n);
}

/// e^x - 1, also near 0. Error 1.0 ulp in double, 0.6 in float.
template <class T, class W>
SINTER_INLINE packet<T, W> expm1(packet<T, W> x) {
    if constexpr (std::is_same_v<T, float>) {
        return to_float(expm1(to_double(x)));
    } else {
        using P = packet<T, W>;
        const P y = select(x > T(710), T(710), select(x < T(-40), T(-40), x));
        const P n = rint(y * T(1.4426950408889634));
        const P hi = y - n * 0x1.62e42feep-1, lo = n * 0x1.a39ef35793c76p-33;
        const P r = hi - lo;
        const P rest = ((hi - r) - lo) + r * r * exp_tail(r);
        // 2^n (r + rest) + (2^n - 1), at half the scale so that the largest results do not overflow on the way.
        const P power = power_of_two(n - T(1));
        const auto sum = two_sum(power - T(0.5), power * r);
        const P result = (sum.hi + (sum.lo + power * rest)) * T(2);
        // Near 0 the result is that of the argument, with its sign.
        return select(abs(x) < T(1e-17), x, select(x == infinity<T>, x, result));
    }
}

// ---- log

/// (2 atanh(s) - 2 s) / s³ - 2/3, divided by z = s².
template <class W>
SINTER_INLINE packet<double, W> log_tail(packet<double, W> z) {
    return polynomial(z, 0.4000000000000003, 0.2857142857133801, 0.22222222271326808, 0.18181808210921882, 0.15385577463308145,
                      0.13285868837545742, 0.1291471218413509);
}

/// `result` where x is positive, normal and finite; else f(x), which the C library computes.
template <class T, class W>
SINTER_INLINE packet<T, W> log_limits(packet<T, W> x, packet<T, W> result, T (*f)(T)) {
    const auto usual = (x >= std::numeric_limits<T>::min()) & (x < infinity<T>);
    if (any_lane(~usual)) [[unlikely]]
        return select(usual, result, rare_lanes(f, x));
    return result;
}

/// The natural logarithm. Error 0.9 ulp in double and float. log(0) = -∞, NaN below 0.
template <class T, class W>
SINTER_INLINE packet<T, W> log(packet<T, W> x) {
    using P = packet<T, W>;
    const auto [m, e] = split_normal(x);
    const P f = m - T(1);
    const P half_square = f * f * T(0.5);
    if constexpr (std::is_same_v<T, float>) {
        const P tail = polynomial(f, 0.3333333073, -0.2500030642, 0.2000104509, -0.1664128146, 0.1421449592, -0.1299818376,
                                  0.1262231985, -0.07902743772);
        const P low = mul_add(f * f * f, tail, e * T(-2.12194440e-4));
        return log_limits(x, e * T(0.693359375) + (f - (half_square - low)), std::log);
    } else {
        const P s = f / (f + T(2)), z = s * s;
        const P rest = z * (T(0.6666666666666666) + z * log_tail(z));
        const P low = s * (half_square + rest) + e * T(0x1.a39ef35793c76p-33);
        return log_limits(x, e * T(0x1.62e42feep-1) - ((half_square - low) - f), std::log);
    }
}

/// log(a) for positive a, in and out as double words, with a relative error of about 2^-65; 0 for 1.
template <class W>
SINTER_INLINE double_word<packet<double, W>> log_double_word(double_word<packet<double, W>> a) {
    using P = packet<double, W>;
    const auto [m, e] = split_exponent(a.hi);
    const P down = select(abs(e) < 1000.0, power_of_two(select(abs(e) < 1000.0, -e, P{})), P{});
    const P m_lo = a.lo * down;
    const P f = m - 1.0; // exact
    const double_word<P> numerator = fast_two_sum(f, m_lo);
    const auto sum = two_sum(P::splat(2), f);
    const double_word<P> s = numerator / double_word<P>{sum.hi, sum.lo + m_lo};
    const auto z = s * s;
    const auto third = two_sum(P::splat(0.6666666666666666), z.hi * log_tail(z.hi) + 3.700743415417188e-17);
    const auto cubed = s * (z * third);
    const auto of_mantissa = double_word<P>{s.hi + s.hi, s.lo + s.lo} + cubed;
    const auto e_product = two_product(e, P::splat(0x1.62e42fefa39efp-1));
    const double_word<P> of_exponent{e_product.hi, e_product.lo + e * 0x1.abc9e3b39803fp-56};
    return of_exponent + of_mantissa;
}

/// log(x) times a constant given as a double word.
template <class W>
SINTER_INLINE packet<double, W> log_times(packet<double, W> x, double hi, double lo, double (*f)(double)) {
    using P = packet<double, W>;
    const auto l = log_double_word(double_word<P>{x, P{}});
    const auto r = l * double_word<P>{P::splat(hi), P::splat(lo)};
    return log_limits(x, r.hi + r.lo, f);
}

/// The logarithm to base 2, to base 10. Error 0.6 ulp.
template <class T, class W>
SINTER_INLINE packet<T, W> log2(packet<T, W> x) {
    if constexpr (std::is_same_v<T, float>) {
        return to_float(log(to_double(x)) * 1.4426950408889634);
    } else {
        return log_times(x, 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56, std::log2);
    }
}
template <class T, class W>
SINTER_INLINE packet<T, W> log10(packet<T, W> x) {
    if constexpr (std::is_same_v<T, float>) {
        return to_float(log(to_double(x)) * 0.4342944819032518);
    } else {
        return log_times(x, 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57, std::log10);
    }
}

/// log(1 + a), a as a double word.
template <class W>
SINTER_INLINE double_word<packet<double, W>> log1p_double_word(double_word<packet<double, W>> a) {
    const auto one_a = two_sum(packet<double, W>::splat(1), a.hi);
    return log_double_word(fast_two_sum(one_a.hi, one_a.lo + a.lo));
}

/// log(1 + x), also near 0. Error 0.6 ulp. log1p(-1) = -∞, NaN below.
template <class T, class W>
SINTER_INLINE packet<T, W> log1p(packet<T, W> x) {
    if constexpr (std::is_same_v<T, float>) {
        return to_float(log1p(to_double(x)));
    } else {
        using P = packet<T, W>;
        const auto l = log1p_double_word(double_word<P>{x, P{}});
        const P special = select(x == T(-1), -infinity<T>, select(x < T(-1), quiet_nan<T>, x));
        const P result = select(abs(x) < T(1e-300), x, l.hi + l.lo);
        return select((x > T(-1)) & (x < infinity<T>), result, special);
    }
}

} // namespace sinter::detail

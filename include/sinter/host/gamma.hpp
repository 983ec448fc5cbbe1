// sinter/host/gamma.hpp -- stage 4: the gamma function and the logarithm of its magnitude.
//
// Polynomials are Chebyshev interpolants of the functions named beside them, computed with 60 digits. Errors are the greatest
// measured by bench/accuracy over all instruction sets, in units in the last place (ulp).
#pragma once

#include <sinter/host/trig.hpp>

namespace sinter::detail {

/// x from -½ to 8 as 2 + y with |y| ≤ ½, and the product by which Γ(x) and Γ(2 + y) differ: Γ(x) = Γ(2 + y) · over / under.
template <class W>
struct gamma_reduction {
    packet<double, W> y;
    double_word<packet<double, W>> over, under;
};
template <class W>
SINTER_INLINE gamma_reduction<W> reduce_gamma(packet<double, W> x) {
    using P = packet<double, W>;
    const double_word<P> one{P::splat(1), P{}};
    // Above: Γ(x) = (x - 1) (x - 2) … Γ(y + 2).
    P t = x;
    double_word<P> over = one;
    for (int i = 0; i < 6; ++i) {
        const auto step = t > 2.5;
        t = select(step, t - 1.0, t);
        over = select(step, over * t, over);
    }
    // Below: Γ(x) = Γ(x + 1) / x, or Γ(x + 2) / (x (x + 1)).
    const auto twice = x < 0.5, once = x < 1.5;
    const auto next = two_sum(x, P::splat(1));
    const double_word<P> x_word{x, P{}};
    const auto under = select(twice, next * x, select(once, x_word, one));
    const P y = select(twice, x, select(once, x - 1.0, t - 2.0));
    return {y, over, under};
}

/// Γ(2 + y), lgamma(2 + y) / y, for |y| ≤ ½.
template <class W>
SINTER_INLINE packet<double, W> gamma_near_2(packet<double, W> y) {
    return polynomial(y, 1.0, 0.42278433509846713, 0.4118403304264397, 0.08157691924708631, 0.07424901075351388, -0.00026698206874912686,
                      0.011154045718133047, -0.002852645820958513, 0.0021039333405989723, -0.0009195738440529002, 0.0004903884534360927,
                      -0.0002409413511771331, 0.00012167376420794532, -6.0793769354497196e-05, 3.0453996066675055e-05,
                      -1.5228989429785308e-05, 7.618806414767137e-06, -3.838189309661307e-06, 1.9195313287502088e-06,
                      -8.82530659103466e-07, 4.413125354158576e-07, -3.4447520571979086e-07, 1.7224383801440606e-07);
}
template <class W>
SINTER_INLINE double_word<packet<double, W>> log_gamma_near_2(packet<double, W> y) {
    using P = packet<double, W>;
    const P rest = polynomial(y, -0.0673523010531981, 0.020580808427784553, -0.007385551028673987, 0.002890510330740574, -0.0011927539117028065,
                              0.0005096695248097167, -0.0002231547584854977, 9.94575106565683e-05, -4.492623572075009e-05,
                              2.0507249390577883e-05, -9.43950580297771e-06, 4.374497421555722e-06, -2.039038941372666e-06,
                              9.573811846241715e-07, -4.5031911372123467e-07, 2.0408401495663627e-07, -9.660909813080578e-08,
                              6.286887600397704e-08, -2.997082823610355e-08);
    const double_word<P> linear{P::splat(0x1.4a34cc4a60fa6p-2), P::splat(0x1.1873d8912200cp-56)};
    const double_word<P> constant{P::splat(0x1.b0ee6072093cep-2), P::splat(0x1.6cb90701fbfabp-58)};
    return (linear + y * rest) * y + constant;
}

/// log Γ(x) for x ≥ 8, by Stirling's series.
template <class W>
SINTER_INLINE double_word<packet<double, W>> log_gamma_far(packet<double, W> x) {
    using P = packet<double, W>;
    const P inverse = 1.0 / x, w = inverse * inverse;
    const P tail = inverse * polynomial(w, 0.08333333333333333, -0.0027777777777777744, 0.0007936507936450394, -0.0005952380914267929,
                                        0.0008417495708290532, -0.0019172870558704738, 0.006383322059270849, -0.027742741357056264,
                                        0.11001554697230516);
    const auto l = log_double_word(double_word<P>{x, P{}});
    const auto product = l * two_sum(x, P::splat(-0.5));
    const double_word<P> half_log_2_pi{P::splat(0x1.d67f1c864beb5p-1), P::splat(-0x1.65b5a1b7ff5dfp-55)};
    return (product + -x) + (half_log_2_pi + tail);
}

/// sin(π x) for x ≥ 0 as a double word, with its sign.
template <class W>
SINTER_INLINE double_word<packet<double, W>> sin_pi(packet<double, W> x) {
    using P = packet<double, W>;
    const P n = rint(x), r = x - n, u = abs(r);
    const auto swapped = u > 0.25;
    const P v = select(swapped, 0.5 - u, u);
    const auto product = two_product(v, P::splat(0x1.921fb54442d18p+1));
    const auto angle = fast_two_sum(product.hi, product.lo + v * 0x1.1a62633145c07p-53);
    // More exactly than sin_of and cos_of: the cubic and the quartic term as double words too.
    const auto z = angle * angle;
    const auto cubic = (angle * z) * double_word<P>{P::splat(-0.16666666666666666), P::splat(-9.25185853854297e-18)};
    const auto fifth = angle.hi * z.hi * z.hi *
                       polynomial(z.hi, 0.008333333333333333, -0.00019841269841268955, 2.7557319222311783e-06, -2.5052107229484998e-08,
                                  1.6058682964953177e-10, -7.595208493062375e-13);
    const auto quartic = (z * z) * double_word<P>{P::splat(0.041666666666666664), P::splat(2.3129646346357427e-18)};
    const auto sixth = z.hi * z.hi * z.hi *
                       polynomial(z.hi, -0.0013888888888887382, 2.480158729874308e-05, -2.755731726001471e-07, 2.0876143829213935e-09,
                                  -1.1382456865840483e-11);
    const auto cosine = (quartic + sixth) + double_word<P>{z.hi * -0.5, z.lo * -0.5} + P::splat(1);
    const auto s = select(swapped, cosine, (cubic + fifth) + angle);
    const auto odd = rint(n * 0.5) != n * 0.5;
    const auto negative = (r < P{}) != odd;
    return select(negative, -s, s);
}

/// log Γ(x) for x > 0, as far as it does not overflow.
template <class W>
SINTER_INLINE double_word<packet<double, W>> log_gamma_of_positive(packet<double, W> x) {
    using P = packet<double, W>;
    const auto low = x < 8.0;
    const auto reduced = reduce_gamma(select(low, x, P::splat(1)));
    const auto below = x < 1.5;
    const auto l = log_double_word(select(below, reduced.under, reduced.over));
    const auto near = select(below, -l, l) + log_gamma_near_2(reduced.y) * reduced.y;
    return select(low, near, log_gamma_far(select(low, P::splat(8), x)));
}

/// The C library's. Unlike lgamma, lgamma_r writes no global variable.
inline double library_lgamma(double x) {
    int sign;
    return ::lgamma_r(x, &sign);
}

/// log |Γ(x)|. ∞ at 0 and the negative integers. Error 3 ulp, also beside the zeros; there, in double, by the C library.
template <class T, class W>
SINTER_INLINE packet<T, W> lgamma(packet<T, W> x) {
    if constexpr (std::is_same_v<T, float>) {
        return to_float(lgamma(to_double(x)));
    } else {
        using P = packet<T, W>;
        const P one = P::splat(1), a = abs(x);
        // Beyond 1e300 the series is x (log(x) - 1), which may overflow.
        const auto huge = a > T(1e300);
        const auto positive = log_gamma_of_positive(select(huge | (a == P{}) | isnan(a), one, a));
        P result = select(huge, a * (log(select(huge, a, one)) - T(1)), positive.hi + positive.lo);
        const auto negative = x < P{};
        if (any_lane(negative)) {
            // By reflection: log(π / (a sin(πa))) - log Γ(a).
            const auto inside = negative & (a < T(0x1p52)) & (rint(a) != a);
            const P b = select(inside, a, P::splat(0.5));
            const double_word<P> pi{P::splat(0x1.921fb54442d18p+1), P::splat(0x1.1a62633145c07p-53)};
            const auto sine = sin_pi(b);
            const auto quotient = pi / (select(sine.hi < P{}, -sine, sine) * b);
            const auto reflected = log_double_word(quotient) + -positive;
            const P value = select(b < T(1e-150), -log(b), reflected.hi + reflected.lo);
            result = select(negative, select(inside, value, infinity<T>), result);
            const auto beside_zero = inside & (abs(value) < T(0.0078125));
            if (any_lane(beside_zero)) result = select(beside_zero, rare_lanes(library_lgamma, x), result);
        }
        return select(a == P{}, infinity<T>, select(isnan(x), x, result));
    }
}

/// The gamma function. Error 3 ulp. ±∞ at ±0, NaN at the negative integers and -∞.
template <class T, class W>
SINTER_INLINE packet<T, W> tgamma(packet<T, W> x) {
    if constexpr (std::is_same_v<T, float>) {
        return to_float(tgamma(to_double(x)));
    } else {
        using P = packet<T, W>;
        const P zero{}, one = P::splat(1);
        // Below -½ by reflection from a = -x: Γ(-a) = -π / (a sin(πa) Γ(a)).
        const auto reflected = x < T(-0.5);
        const P a = select(reflected, -x, x), bounded = select(a > T(200), T(200), a);
        const auto low = bounded < T(8);
        const auto reduced = reduce_gamma(select(low, bounded, one));
        const P at_2 = gamma_near_2(reduced.y);
        const auto near = (reduced.over / reduced.under) * at_2;
        const auto log_far = log_gamma_far(select(low, P::splat(8), bounded));
        const auto far = exp_in_parts(log_far.hi, log_far.lo);
        const auto value = select(low, near, far.value);
        const P n = select(low, zero, far.n);

        const auto sine = sin_pi(select(reflected, a, T(0.5)));
        const auto denominator = (sine * bounded) * value;
        const double_word<P> pi{P::splat(-0x1.921fb54442d18p+1), P::splat(-0x1.1a62633145c07p-53)};
        const auto quotient = pi / denominator;
        const P result = select(reflected, scale(quotient.hi + quotient.lo, -n), scale(value.hi + value.lo, n));
        // Where 1 / x overflows or x is 0, the quotient's second word is not a number.
        const P tiny = select(abs(x) < T(1e-300), T(1) / x, result);
        const auto pole = reflected & (rint(x) == x);
        return select(isnan(x) | (x == infinity<T>), x, select(pole, quiet_nan<T>, tiny));
    }
}

} // namespace sinter::detail

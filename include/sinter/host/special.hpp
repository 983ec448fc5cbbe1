// sinter/host/special.hpp -- stage 4: the error function and the activations made of it.
//
// Polynomials are Chebyshev interpolants of the functions named beside them, computed with 60 digits. Errors are the greatest
// measured by bench/accuracy over all instruction sets, in units in the last place (ulp).
#pragma once

#include <sinter/host/exponential.hpp>

namespace sinter::detail {

/// erf(x) / x - 1, z = x² ≤ 1.
template <class W>
SINTER_INLINE packet<double, W> erf_near(packet<double, W> z) {
    return polynomial(z, 0.1283791670955126, -0.37612638903183543, 0.11283791670945006, -0.02686617064323777, 0.0052239776071164225,
                      -0.0008548325975389692, 0.00012055294904839707, -1.492473690741966e-05, 1.6447424703317362e-06,
                      -1.6208483801871705e-07, 1.3720064546777686e-08, -7.795898827002142e-10);
}

/// (1 + 2 y) e^(y²) erfc(y) for y from ½ to 28: nearly constant, a polynomial of (y - 3.75) / (y + 3.75)
/// (Shepherd and Laframboise, "Chebyshev approximation of (1 + 2x) exp(x²) erfc x in 0 ≤ x < ∞", 1981).
template <class W>
SINTER_INLINE packet<double, W> scaled_erfc(packet<double, W> y) {
    const auto t = (y - 3.75) / (y + 3.75);
    return polynomial(t, 1.2375126308378275, -0.14024059858554702, 0.0035854154854636595, 0.08227673849015017, -0.10880393014170636,
                      0.0923043211602373, -0.05869339859054567, 0.02836227742070009, -0.009746579548162297, 0.0017556258418799954,
                      0.00029371360428269433, -0.0002901540462281235, 5.1649327115663387e-05, 2.238421628349864e-05,
                      -1.1444642657338937e-05, -9.737575162722984e-07, 1.7521493143336468e-06, -5.648882545128533e-08,
                      -2.5850383762693714e-07, 2.2092545188283267e-08, 3.758556054987387e-08, -2.800256565516931e-09,
                      -4.021812318055577e-09);
}

/// e^-square scaled_erfc(y) factor / divisor, rounded once at the end: erfc(y) for square = y², divisor = 1 + 2 y.
template <class W>
SINTER_INLINE packet<double, W> erfc_tail(packet<double, W> y, double_word<packet<double, W>> square, packet<double, W> factor,
                                          double_word<packet<double, W>> divisor) {
    const auto power = exp_in_parts(-square.hi, -square.lo);
    const auto f = two_product(scaled_erfc(y), factor) / divisor;
    return scale(power.value.hi * f.hi + (power.value.hi * f.lo + power.value.lo * f.hi), power.n);
}

/// The error function. Error 1.0 ulp in double, 1.4 in float.
template <class T, class W>
SINTER_INLINE packet<T, W> erf(packet<T, W> x) {
    using P = packet<T, W>;
    const P a = abs(x);
    if constexpr (std::is_same_v<T, float>) {
        const P z = x * x;
        const P near = x + x * polynomial(z, 0.128379166, -0.3761262667, 0.1128359472, -0.02685421201, 0.005189087423, -0.0008016864287, 7.875875063e-05);
        const P near_4 = lesser(P::splat(4), a); // NaN stays
        const P log_of_rest = polynomial(near_4, 0.0003049479262, -1.130169605, -0.6319396488, -0.1099683288, 0.02635466711, -0.004735105315,
                                         0.0005913400886, -4.538157545e-05, 1.601537323e-06);
        const P far = copysign(T(1) - exp_in_range(log_of_rest), x);
        return select(a < T(1), near, far);
    } else {
        const P near = x + x * erf_near(x * x);
        const P bounded = select(a < T(1), T(1), select(a > T(6.5), T(6.5), a));
        const P far = T(1) - exp(-(bounded * bounded)) * scaled_erfc(bounded) / (bounded + bounded + T(1));
        return select(a < T(1), near, select(isnan(x), x, copysign(far, x)));
    }
}

/// 1 - erf(x), also where that is small. Error 2.5 ulp in double, 0.5 in float.
template <class T, class W>
SINTER_INLINE packet<T, W> erfc(packet<T, W> x) {
    if constexpr (std::is_same_v<T, float>) {
        return to_float(erfc(to_double(x)));
    } else {
        using P = packet<T, W>;
        const P a = abs(x);
        const P bounded = select(a > T(0.5), select(a > T(28), T(28), a), T(0.5));
        const P one = P::splat(1);
        const P tail = erfc_tail(bounded, two_product(bounded, bounded), one, fast_two_sum(bounded + bounded, one));
        const P near = T(1) - (x + x * erf_near(x * x));
        return select(isnan(x), x, select(a < T(0.5), near, select(x < P{}, T(2) - tail, tail)));
    }
}

/// x Φ(x) with Φ the distribution function of the normal distribution: the Gaussian error linear unit, not its approximation
/// by tanh. Error 3 ulp in double, 0.5 in float.
template <class T, class W>
SINTER_INLINE packet<T, W> gelu(packet<T, W> x) {
    if constexpr (std::is_same_v<T, float>) {
        return to_float(gelu(to_double(x)));
    } else {
        using P = packet<T, W>;
        constexpr T root_half = 0.7071067811865476;
        const P a = abs(x) * root_half;
        // For x < 0 the exponent is x² / 2 exactly, not the square of the rounded a.
        const P bounded = select(abs(x) > T(39), T(39), abs(x));
        const P y = select(bounded * root_half > T(0.5), bounded * root_half, T(0.5));
        const auto square = two_product(bounded, bounded);
        const auto divisor = two_product(bounded, P::splat(1.4142135623730951)) + P::splat(1);
        const P tail = erfc_tail(y, {square.hi * T(0.5), square.lo * T(0.5)}, T(0.5) * bounded, divisor);
        const P z = x * root_half;
        const P near = x * (T(0.5) + T(0.5) * (z + z * erf_near(a * a)));
        const P right = x - select(abs(x) > T(39), P{}, tail);
        return select(isnan(x) | (x == infinity<T>), x, select(a < T(0.5), near, select(x < P{}, -tail, right)));
    }
}

/// 1 / (1 + e^-x), the logistic function. Error 1.5 ulp in double, 0.5 in float.
template <class T, class W>
SINTER_INLINE packet<T, W> sigmoid(packet<T, W> x) {
    if constexpr (std::is_same_v<T, float>) {
        return to_float(sigmoid(to_double(x)));
    } else {
        using P = packet<T, W>;
        // From e^-|x|, which does not overflow; for x < 0 the result is e^x / (1 + e^x), at its smallest subnormal.
        const P a = abs(x);
        const auto power = exp_in_parts(select(a > T(760), T(-760), -a), P{});
        const P e = scale(power.value.hi, power.n);
        const auto sum = fast_two_sum(P::splat(1), e);
        const P low = sum.lo + scale(power.value.lo, power.n);
        const auto inverse = double_word<P>{P::splat(1), P{}} / double_word<P>{sum.hi, low};
        const P left = scale(power.value.hi * inverse.hi + (power.value.hi * inverse.lo + power.value.lo * inverse.hi), power.n);
        return select(isnan(x), x, select(x < P{}, left, inverse.hi + inverse.lo));
    }
}

} // namespace sinter::detail

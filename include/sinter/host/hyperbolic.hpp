// sinter/host/hyperbolic.hpp -- stage 4: hyperbolic functions and their inverses.
//
// Polynomials are Chebyshev interpolants of the functions named beside them, computed with 60 digits. Errors are the greatest
// measured by bench/accuracy over all instruction sets, in units in the last place (ulp).
#pragma once

#include <sinter/host/exponential.hpp>

namespace sinter::detail {

/// (e^a ± e^-a) / 2 for a ≥ 0.
template <class W>
SINTER_INLINE packet<double, W> mean_of_exponentials(packet<double, W> a, double sign) {
    using P = packet<double, W>;
    const auto up = exp_in_parts(select(a > 720.0, 720.0, a), P{});
    // e^-a relative to e^a: beyond a = 20 it does not count.
    const P far = power_of_two(select(up.n > 500.0, -1000.0, up.n * -2.0));
    const P down = far * (1.0 / (up.value.hi * up.value.hi)) * up.value.hi;
    const auto sum = fast_two_sum(up.value.hi, down * sign);
    return scale(sum.hi + (sum.lo + up.value.lo - down * (up.value.lo / up.value.hi) * sign), up.n - 1.0);
}

/// The hyperbolic sine. Error 0.6 ulp.
template <class T, class W>
SINTER_INLINE packet<T, W> sinh(packet<T, W> x) {
    if constexpr (std::is_same_v<T, float>) {
        return to_float(sinh(to_double(x)));
    } else {
        const auto a = abs(x), z = x * x;
        const auto near = x + x * z * polynomial(z, 0.16666666666666666, 0.008333333333333299, 0.00019841269841324198, 2.7557319191381816e-06,
                                                 2.5052117695907823e-08, 1.6057679623801638e-10, 7.746178593018827e-13);
        return select(a < T(1), near, copysign(mean_of_exponentials(a, -1), x));
    }
}

/// The hyperbolic cosine. Error 0.6 ulp.
template <class T, class W>
SINTER_INLINE packet<T, W> cosh(packet<T, W> x) {
    if constexpr (std::is_same_v<T, float>)
        return to_float(cosh(to_double(x)));
    else
        return mean_of_exponentials(abs(x), 1);
}

/// The hyperbolic tangent. Error 0.9 ulp in double, 1.2 in float.
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

/// The number whose hyperbolic sine is x. Error 0.6 ulp.
template <class T, class W>
SINTER_INLINE packet<T, W> asinh(packet<T, W> x) {
    if constexpr (std::is_same_v<T, float>) {
        return to_float(asinh(to_double(x)));
    } else {
        using P = packet<T, W>;
        const P a = abs(x);
        const auto huge = a > T(0x1p60);
        const P b = select(huge, P::splat(1), a);
        // log1p(a + a² / (1 + √(1 + a²))); and log(2 a) beyond 2^60
        const auto square = two_product(b, b);
        const auto root = sqrt(square + P::splat(1));
        const auto inside = square / (root + P::splat(1)) + b;
        const auto near = log1p_double_word(inside);
        const P far = log(select(huge, a, P::splat(1))) + T(0.6931471805599453);
        const P result = select(huge, far, near.hi + near.lo);
        return select((a < T(0x1p-60)) | ~(a < infinity<T>), x, copysign(result, x));
    }
}

/// The positive number whose hyperbolic cosine is x ≥ 1; NaN below. Error 0.6 ulp.
template <class T, class W>
SINTER_INLINE packet<T, W> acosh(packet<T, W> x) {
    if constexpr (std::is_same_v<T, float>) {
        return to_float(acosh(to_double(x)));
    } else {
        using P = packet<T, W>;
        const auto huge = x > T(0x1p60);
        // With t = x - 1: log1p(t + √(2 t + t²)); and log(2 x) beyond 2^60
        const P t = select(huge | (x < T(1)), P::splat(1), x) - T(1);
        const auto root = sqrt(two_product(t, t) + (t + t));
        const auto near = log1p_double_word(root + t);
        const P far = log(select(huge, x, P::splat(1))) + T(0.6931471805599453);
        const P result = select(huge, far, near.hi + near.lo);
        return select(x < T(1), quiet_nan<T>, select(x < infinity<T>, result, x));
    }
}

/// The number whose hyperbolic tangent is x; ±∞ at ±1, NaN beyond. Error 0.6 ulp.
template <class T, class W>
SINTER_INLINE packet<T, W> atanh(packet<T, W> x) {
    if constexpr (std::is_same_v<T, float>) {
        return to_float(atanh(to_double(x)));
    } else {
        using P = packet<T, W>;
        const P a = abs(x), one = P::splat(1);
        const auto inside = a < T(1);
        const P b = select(inside, a, P{});
        // log1p(2 a / (1 - a)) / 2
        const auto quotient = double_word<P>{b + b, P{}} / two_sum(one, -b);
        const auto l = log1p_double_word(quotient);
        const P result = (l.hi + l.lo) * T(0.5);
        const P outside = select(a == T(1), infinity<T>, P::splat(quiet_nan<T>));
        return select(a < T(0x1p-60), x, copysign(select(inside, result, outside), x));
    }
}

} // namespace sinter::detail

// tests/support/oracle.hpp -- elementary functions by MPFR, and how far a result is from them.
#pragma once

#include <cmath>
#include <limits>
#include <string_view>

namespace oracle {

/// The error of `given` as the value of the named function at x (and y), in units in the last place of T at the exact value.
/// Infinite where a NaN, an infinity or the sign of a zero is wrong.
template <class T>
double ulp_error(std::string_view function, T given, T x, T y = T(0));

/// The function in long double, or NaN where there is none: fast, and good to about 2^-60.
long double estimate(std::string_view function, long double x, long double y);

/// The same error, estimated.
template <class T>
double estimated_error(std::string_view function, T given, T x, T y = T(0)) {
    const long double exact = estimate(function, x, y);
    if (std::isnan(exact) || std::isnan(given)) return std::isnan(exact) && std::isnan(given) ? 0 : INFINITY;
    if (static_cast<T>(exact) == given && (given != 0 || std::signbit(exact) == std::signbit(given)) && std::isinf(given)) return 0;
    if (std::isinf(exact) || std::isinf(given) || (exact == 0) != (given == 0 && exact == 0)) return INFINITY;
    if (exact == 0) return given == 0 && std::signbit(exact) == std::signbit(given) ? 0 : INFINITY;
    using limits = std::numeric_limits<T>;
    int exponent;
    std::frexp(exact, &exponent);
    const long double ulp = std::ldexp(1.0L, std::max(exponent, limits::min_exponent) - limits::digits);
    return static_cast<double>(std::abs(given - exact) / ulp);
}

} // namespace oracle

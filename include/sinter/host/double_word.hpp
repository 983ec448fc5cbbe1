// sinter/host/double_word.hpp -- stage 4: values of about 106 bits as the unevaluated sum of two doubles.
//
// Where a function must lose no more than an ulp or two and its result is the difference or the product of rounded parts,
// the parts are computed this way (Dekker, "A floating-point technique for extending the available precision", 1971).
#pragma once

#include <sinter/host/arithmetic.hpp>

namespace sinter::detail {

/// hi + lo, where lo is at most half an ulp of hi, or a little more after an operation.
template <class P>
struct double_word {
    P hi, lo;
};

/// a + b exactly (Knuth).
template <class P>
SINTER_INLINE double_word<P> two_sum(P a, P b) {
    const P s = a + b, part = s - a;
    return {s, (a - (s - part)) + (b - part)};
}
/// a + b exactly, where |a| ≥ |b| or a is 0.
template <class P>
SINTER_INLINE double_word<P> fast_two_sum(P a, P b) {
    const P s = a + b;
    return {s, b - (s - a)};
}

/// The upper 26 bits of a, so that products of such halves are exact. |a| < 2^996.
template <class P>
SINTER_INLINE P upper_half(P a) {
    using W = typename P::width;
    const auto bits = bits_as<std::uint64_t>(a) & packet<std::uint64_t, W>::splat(~std::uint64_t{0x7ffffff});
    return bits_as<double>(bits);
}

/// a b exactly, barring overflow and underflow.
template <class P>
SINTER_INLINE double_word<P> two_product(P a, P b) {
    const P p = a * b;
    if constexpr (P::width::has_fma) {
        return {p, fma(a, b, -p)};
    } else {
        const P ah = upper_half(a), al = a - ah, bh = upper_half(b), bl = b - bh;
        return {p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
    }
}

/// c - a b with one rounding or nearly so.
template <class P>
SINTER_INLINE P residual(P c, P a, P b) {
    if constexpr (P::width::has_fma) {
        return fma(-a, b, c);
    } else {
        const auto p = two_product(a, b);
        return (c - p.hi) - p.lo;
    }
}

template <class P>
SINTER_INLINE double_word<P> operator+(double_word<P> a, double_word<P> b) {
    const auto s = two_sum(a.hi, b.hi);
    return fast_two_sum(s.hi, s.lo + (a.lo + b.lo));
}
template <class P>
SINTER_INLINE double_word<P> operator+(double_word<P> a, P b) {
    const auto s = two_sum(a.hi, b);
    return fast_two_sum(s.hi, s.lo + a.lo);
}
template <class P>
SINTER_INLINE double_word<P> operator*(double_word<P> a, double_word<P> b) {
    const auto p = two_product(a.hi, b.hi);
    return fast_two_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}
template <class P>
SINTER_INLINE double_word<P> operator*(double_word<P> a, P b) {
    const auto p = two_product(a.hi, b);
    return fast_two_sum(p.hi, p.lo + a.lo * b);
}
template <class P>
SINTER_INLINE double_word<P> operator/(double_word<P> a, double_word<P> b) {
    const P q = a.hi / b.hi;
    return {q, ((residual(a.hi, q, b.hi) + a.lo) - q * b.lo) / b.hi};
}
template <class P>
SINTER_INLINE double_word<P> operator-(double_word<P> a) {
    return {-a.hi, -a.lo};
}
/// The square root of a positive value; of 0 it is 0.
template <class P>
SINTER_INLINE double_word<P> sqrt(double_word<P> a) {
    const P s = sqrt(a.hi);
    const P rest = (residual(a.hi, s, s) + a.lo) / (s + s);
    return {s, select(s > P{}, rest, P{})};
}
template <std::size_t B, class P>
SINTER_INLINE double_word<P> select(mask<B, typename P::width> m, double_word<P> a, double_word<P> b) {
    return {select(m, a.hi, b.hi), select(m, a.lo, b.lo)};
}

} // namespace sinter::detail

// sinter/host/arithmetic.hpp -- stage 4: exact packet functions: fma, square root, rounding, sign, conversion.
//
// All results are exact or correctly rounded, in every lane and on every instruction set.
#pragma once

#include <cmath>

#include <sinter/host/packet.hpp>

#if defined(__clang__)
#    define SINTER_BY_PARTS 0 // clang splits vectors itself
#else
#    define SINTER_BY_PARTS 1 // g++'s builtins take one register
#endif

namespace sinter::detail {

template <class T>
inline constexpr T infinity = std::numeric_limits<T>::infinity();
template <class T>
inline constexpr T quiet_nan = std::numeric_limits<T>::quiet_NaN();

/// f applied to each lane: for what has no packet instruction.
template <class T, class W, class F, class... Args>
SINTER_INLINE packet<T, W> each_lane(F f, packet<T, W> a, Args... rest) {
    packet<T, W> r;
    for (int i = 0; i < W::lanes; ++i) r.v[i] = f(a.v[i], rest.v[i]...);
    return r;
}

template <class T, class... Rest>
[[gnu::noinline, gnu::cold]] void call_for_each(T (*f)(T, Rest...), int n, T* to, const T* from, const Rest*... rest) {
    for (int i = 0; i < n; ++i) to[i] = f(from[i], rest[i]...);
}

/// f applied to each lane, out of line: for the rare lanes that a packet function leaves to the C library.
template <class T, class W, class... Rest>
SINTER_INLINE packet<T, W> rare_lanes(T (*f)(T, Rest...), packet<T, W> a, packet<Rest, W>... rest) {
    struct lanes {
        T of[W::lanes];
        SINTER_INLINE explicit lanes(packet<T, W> p) { p.store(of); }
    };
    T result[W::lanes];
    [&](const auto&... x) __attribute__((always_inline)) { call_for_each<T, Rest...>(f, W::lanes, result, x.of...); }
    (lanes(a), lanes(rest)...);
    return packet<T, W>::load(result);
}

/// Whether a packet takes several registers: float and double in one kernel make the doubles that wide.
template <class T, class W>
inline constexpr bool in_several_registers = sizeof(T) * W::lanes > packet_bytes(W::level);

/// a * b + c with one rounding on every instruction set. Slow where W::has_fma is false: see mul_add.
template <class T, class W>
SINTER_INLINE packet<T, W> fma(packet<T, W> a, packet<T, W> b, packet<T, W> c) {
#if SINTER_X86
    if constexpr (W::has_fma && std::is_floating_point_v<T> && in_several_registers<T, W> && SINTER_BY_PARTS) {
        packet<T, W> r;
        for (int i = 0; i < W::lanes; i += half<W>::lanes) set_part(r, i, fma(part(a, i), part(b, i), part(c, i)));
        return r;
    } else if constexpr (W::has_fma && std::is_floating_point_v<T> && sizeof(a.v) >= 16) {
#    if defined(__clang__)
        _Pragma("clang fp contract(on)") // becomes llvm.fmuladd, which is fused wherever the instruction exists
        return {a.v * b.v + c.v};
#    else
        constexpr bool single = sizeof(T) == 4;
        if constexpr (single && sizeof(a.v) == 64)
            return {__builtin_ia32_vfmaddps512_mask(a.v, b.v, c.v, -1, 4)};
        else if constexpr (single && sizeof(a.v) == 32)
            return {__builtin_ia32_vfmaddps256(a.v, b.v, c.v)};
        else if constexpr (single && sizeof(a.v) == 16)
            return {__builtin_ia32_vfmaddps(a.v, b.v, c.v)};
        else if constexpr (sizeof(a.v) == 64)
            return {__builtin_ia32_vfmaddpd512_mask(a.v, b.v, c.v, -1, 4)};
        else if constexpr (sizeof(a.v) == 32)
            return {__builtin_ia32_vfmaddpd256(a.v, b.v, c.v)};
        else if constexpr (sizeof(a.v) == 16)
            return {__builtin_ia32_vfmaddpd(a.v, b.v, c.v)};
#    endif
    }
#endif
    if constexpr (std::is_floating_point_v<T>)
        return each_lane([](T x, T y, T z) { return std::fma(x, y, z); }, a, b, c);
    else
        return a * b + c;
}

/// a * b + c, fused where that is one instruction and rounded twice where it is not: for polynomials.
template <class T, class W>
SINTER_INLINE packet<T, W> mul_add(packet<T, W> a, packet<T, W> b, packet<T, W> c) {
    if constexpr (W::has_fma)
        return fma(a, b, c);
    else
        return {a.v * b.v + c.v};
}
template <class T, class W>
SINTER_INLINE packet<T, W> mul_add(packet<T, W> a, packet<T, W> b, std::type_identity_t<T> c) {
    return mul_add(a, b, packet<T, W>::splat(c));
}
template <class T, class W>
SINTER_INLINE packet<T, W> mul_add(packet<T, W> a, std::type_identity_t<T> b, packet<T, W> c) {
    return mul_add(a, packet<T, W>::splat(b), c);
}

/// The polynomial c + c1 x + c2 x² + …, by Horner's rule.
template <class T, class W, class... C>
SINTER_INLINE packet<T, W> polynomial(packet<T, W> x, double c, C... rest) {
    if constexpr (sizeof...(C) == 0)
        return packet<T, W>::splat(static_cast<T>(c));
    else
        return mul_add(polynomial(x, rest...), x, static_cast<T>(c));
}

/// Correctly rounded square root.
template <class T, class W>
SINTER_INLINE packet<T, W> sqrt(packet<T, W> a) {
#if SINTER_X86
    if constexpr (in_several_registers<T, W> && SINTER_BY_PARTS) {
        packet<T, W> r;
        for (int i = 0; i < W::lanes; i += half<W>::lanes) set_part(r, i, sqrt(part(a, i)));
        return r;
    } else if constexpr (sizeof(a.v) >= 16) {
#    if defined(__clang__)
        // clang allows no wider builtin here; it puts the pieces back into one register.
        using piece = typename vector_of<T, 16 / sizeof(T)>::type;
        piece p[sizeof(a.v) / 16];
        std::memcpy(p, &a.v, sizeof(a.v));
        for (auto& x : p) {
            if constexpr (sizeof(T) == 4)
                x = __builtin_ia32_sqrtps(x);
            else
                x = __builtin_ia32_sqrtpd(x);
        }
        packet<T, W> r;
        std::memcpy(&r.v, p, sizeof(a.v));
        return r;
#    else
        constexpr bool single = sizeof(T) == 4;
        if constexpr (single && sizeof(a.v) == 64)
            return {__builtin_ia32_sqrtps512_mask(a.v, a.v, -1, 4)};
        else if constexpr (single && sizeof(a.v) == 32)
            return {__builtin_ia32_sqrtps256(a.v)};
        else if constexpr (single)
            return {__builtin_ia32_sqrtps(a.v)};
        else if constexpr (sizeof(a.v) == 64)
            return {__builtin_ia32_sqrtpd512_mask(a.v, a.v, -1, 4)};
        else if constexpr (sizeof(a.v) == 32)
            return {__builtin_ia32_sqrtpd256(a.v)};
        else
            return {__builtin_ia32_sqrtpd(a.v)};
#    endif
    }
#endif
    return each_lane([](T x) { return std::sqrt(x); }, a);
}

/// a where a < b, else b, and so b where either is NaN; a where a > b, else b. One instruction each, where it exists.
template <class T, class W>
SINTER_INLINE packet<T, W> lesser(packet<T, W> a, packet<T, W> b) {
#if SINTER_MASK_REGISTERS
    if constexpr (W::level == isa::v4 && sizeof(a.v) == 64 && std::is_same_v<T, float>)
        return {__builtin_ia32_minps512_mask(a.v, b.v, a.v, -1, 4)};
    else if constexpr (W::level == isa::v4 && sizeof(a.v) == 64 && std::is_same_v<T, double>)
        return {__builtin_ia32_minpd512_mask(a.v, b.v, a.v, -1, 4)};
#endif
    return select(a < b, a, b);
}
template <class T, class W>
SINTER_INLINE packet<T, W> greater(packet<T, W> a, packet<T, W> b) {
#if SINTER_MASK_REGISTERS
    if constexpr (W::level == isa::v4 && sizeof(a.v) == 64 && std::is_same_v<T, float>)
        return {__builtin_ia32_maxps512_mask(a.v, b.v, a.v, -1, 4)};
    else if constexpr (W::level == isa::v4 && sizeof(a.v) == 64 && std::is_same_v<T, double>)
        return {__builtin_ia32_maxpd512_mask(a.v, b.v, a.v, -1, 4)};
#endif
    return select(a > b, a, b);
}
/// x bounded from both sides; NaN stays.
template <class T, class W>
SINTER_INLINE packet<T, W> bounded(packet<T, W> x, std::type_identity_t<T> least, std::type_identity_t<T> most) {
    using P = packet<T, W>;
    return lesser(P::splat(most), greater(P::splat(least), x));
}

// ---- sign

template <class T, class W>
SINTER_INLINE auto isnan(packet<T, W> a) {
    return a != a;
}

template <class T>
inline constexpr unsigned_bits<T> sign_bit = unsigned_bits<T>{1} << (8 * sizeof(T) - 1);

template <class T, class W>
SINTER_INLINE packet<T, W> abs(packet<T, W> a) {
    using U = unsigned_bits<T>;
    if constexpr (std::is_floating_point_v<T>)
        return bits_as<T>(bits_as<U>(a) & static_cast<U>(~sign_bit<T>));
    else if constexpr (std::is_signed_v<T>)
        return select(a < packet<T, W>{}, -a, a);
    else
        return a;
}

/// The magnitude of a with the sign of b.
template <class T, class W>
SINTER_INLINE packet<T, W> copysign(packet<T, W> a, packet<T, W> b) {
    using U = unsigned_bits<T>;
    return bits_as<T>((bits_as<U>(a) & static_cast<U>(~sign_bit<T>)) | (bits_as<U>(b) & sign_bit<T>));
}

template <class T, class W>
SINTER_INLINE mask<sizeof(T), W> signbit(packet<T, W> a) {
    using I = sized_int<sizeof(T)>;
    if constexpr (std::is_unsigned_v<T>)
        return mask<sizeof(T), W>::splat(false);
    else
        return bits_as<I>(a) < packet<I, W>{};
}

template <class T, class W>
SINTER_INLINE mask<sizeof(T), W> isinf(packet<T, W> a) {
    if constexpr (std::is_floating_point_v<T>)
        return abs(a) == infinity<T>;
    else
        return mask<sizeof(T), W>::splat(false);
}
template <class T, class W>
SINTER_INLINE mask<sizeof(T), W> isfinite(packet<T, W> a) {
    if constexpr (std::is_floating_point_v<T>)
        return abs(a) < infinity<T>;
    else
        return mask<sizeof(T), W>::splat(true);
}

/// -1, 0 or 1; zeros keep their sign, and NaN gives NaN.
template <kernel_value P>
SINTER_INLINE auto sign(P a) {
    using T = typename P::value_type;
    if constexpr (std::is_floating_point_v<T>)
        return select(abs(a) > T(0), copysign(P::splat(1), a), a);
    else if constexpr (std::is_signed_v<T>)
        return select(a > T(0), P::splat(1), select(a < T(0), P::splat(-1), P::splat(0)));
    else
        return select(a != T(0), P::splat(1), P::splat(0));
}

/// The lesser, the greater; NaN when either is NaN, and -0 below +0.
template <class T, class W>
SINTER_INLINE packet<T, W> minimum(packet<T, W> a, packet<T, W> b) {
    if constexpr (std::is_floating_point_v<T>) {
        const auto lesser = select(a < b, a, b);
        const auto ordered = select(a == b, bits_as<T>(bits_as<unsigned_bits<T>>(a) | bits_as<unsigned_bits<T>>(b)), lesser);
        return select(isnan(a), a, ordered);
    } else {
        return select(a < b, a, b);
    }
}
template <class T, class W>
SINTER_INLINE packet<T, W> maximum(packet<T, W> a, packet<T, W> b) {
    if constexpr (std::is_floating_point_v<T>) {
        const auto greater = select(a > b, a, b);
        const auto ordered = select(a == b, bits_as<T>(bits_as<unsigned_bits<T>>(a) & bits_as<unsigned_bits<T>>(b)), greater);
        return select(isnan(a), a, ordered);
    } else {
        return select(a > b, a, b);
    }
}

template <std::size_t A, std::size_t B, class W>
SINTER_INLINE auto minimum(mask<A, W> a, mask<B, W> b) {
    return a & b;
}
template <std::size_t A, std::size_t B, class W>
SINTER_INLINE auto maximum(mask<A, W> a, mask<B, W> b) {
    return a | b;
}

// ---- rounding to an integral value; integers are integral already

/// Where every value of T is integral: 2^23, 2^52.
template <class T>
inline constexpr T integral_from = std::is_same_v<T, float> ? T(8388608) : T(4503599627370496);

enum class rounding { nearest = 0, down = 1, up = 2, toward_zero = 3 };

/// Rounded by the processor's own instruction. Only where has_rounding says that there is one.
template <rounding R, class T, class W>
SINTER_INLINE packet<T, W> round_by_instruction(packet<T, W> a) {
    if constexpr (in_several_registers<T, W> && SINTER_BY_PARTS) {
        packet<T, W> r;
        for (int i = 0; i < W::lanes; i += half<W>::lanes) set_part(r, i, round_by_instruction<R>(part(a, i)));
        return r;
    }
#if SINTER_X86 && defined(__clang__)
    if constexpr (R == rounding::nearest) return {__builtin_elementwise_roundeven(a.v)};
    if constexpr (R == rounding::down) return {__builtin_elementwise_floor(a.v)};
    if constexpr (R == rounding::up) return {__builtin_elementwise_ceil(a.v)};
    if constexpr (R == rounding::toward_zero) return {__builtin_elementwise_trunc(a.v)};
#elif SINTER_X86
    constexpr int mode = static_cast<int>(R) | 8; // 8: raise no inexact flag
    if constexpr (in_several_registers<T, W>) return a;
    if constexpr (sizeof(T) == 4 && sizeof(a.v) == 64) return {__builtin_ia32_rndscaleps_mask(a.v, mode, a.v, -1, 4)};
    if constexpr (sizeof(T) == 4 && sizeof(a.v) == 32) return {__builtin_ia32_roundps256(a.v, mode)};
    if constexpr (sizeof(T) == 4 && sizeof(a.v) == 16) return {__builtin_ia32_roundps(a.v, mode)};
    if constexpr (sizeof(T) == 8 && sizeof(a.v) == 64) return {__builtin_ia32_rndscalepd_mask(a.v, mode, a.v, -1, 4)};
    if constexpr (sizeof(T) == 8 && sizeof(a.v) == 32) return {__builtin_ia32_roundpd256(a.v, mode)};
    if constexpr (sizeof(T) == 8 && sizeof(a.v) == 16) return {__builtin_ia32_roundpd(a.v, mode)};
#endif
    return a;
}
template <class T, class W>
inline constexpr bool has_rounding = SINTER_X86 && W::level != isa::v1 && sizeof(T) * W::lanes >= 16;

/// To the nearest integral value, ties to even.
template <class T, class W>
SINTER_INLINE packet<T, W> rint(packet<T, W> a) {
    if constexpr (std::is_integral_v<T>) {
        return a;
    } else if constexpr (has_rounding<T, W>) {
        return round_by_instruction<rounding::nearest>(a);
    } else {
        const auto magnitude = abs(a);
        const auto rounded = (magnitude + integral_from<T>) - integral_from<T>;
        return select(magnitude < integral_from<T>, copysign(rounded, a), a);
    }
}

template <class T, class W>
SINTER_INLINE packet<T, W> floor(packet<T, W> a) {
    if constexpr (std::is_integral_v<T>) {
        return a;
    } else if constexpr (has_rounding<T, W>) {
        return round_by_instruction<rounding::down>(a);
    } else {
        const auto r = rint(a);
        return copysign(select(r > a, r - T(1), r), a);
    }
}

template <class T, class W>
SINTER_INLINE packet<T, W> ceil(packet<T, W> a) {
    if constexpr (std::is_integral_v<T>) {
        return a;
    } else if constexpr (has_rounding<T, W>) {
        return round_by_instruction<rounding::up>(a);
    } else {
        return -floor(-a);
    }
}

template <class T, class W>
SINTER_INLINE packet<T, W> trunc(packet<T, W> a) {
    if constexpr (std::is_integral_v<T>) {
        return a;
    } else if constexpr (has_rounding<T, W>) {
        return round_by_instruction<rounding::toward_zero>(a);
    } else {
        return copysign(floor(abs(a)), a);
    }
}

/// To the nearest integral value, ties away from zero.
template <class T, class W>
SINTER_INLINE packet<T, W> round(packet<T, W> a) {
    if constexpr (std::is_integral_v<T>) {
        return a;
    } else {
        const auto whole = trunc(a);
        const auto away = select(abs(a - whole) >= T(0.5), whole + copysign(packet<T, W>::splat(1), a), whole);
        return copysign(away, a);
    }
}

// ---- conversion

/// Lanes converted to To by sinter's rules: floats to integers truncate and saturate, NaN gives 0; integers wrap;
/// bool is 0 or 1; anything but 0 is true.
template <class To, std::size_t B, class W>
SINTER_INLINE packet_of<To, W> convert(mask<B, W> m) {
    if constexpr (std::is_same_v<To, bool>)
        return resize<1>(m);
    else
        return select(m, To(1), packet<To, W>{});
}

template <class To, class T, class W>
SINTER_INLINE auto convert(packet<T, W> a) {
    if constexpr (std::is_same_v<To, bool>) {
        return a != packet<T, W>{};
    } else if constexpr (std::is_floating_point_v<T> && std::is_integral_v<To>) {
        // Through an integer as wide as T, or as wide as To where that is wider; its bounds are powers of two, so exact.
        using limits = std::numeric_limits<To>;
        constexpr T above = static_cast<T>(static_cast<To>(limits::max() / 2 + 1)) * 2;
        constexpr T least = static_cast<T>(limits::min());
        const auto inside = select((a >= least) & (a < above), a, T(0));
        packet<To, W> r;
        if constexpr (sizeof(To) < 4)
            r = convert_in_range<To>(convert_in_range<std::int32_t>(inside));
        else
            r = convert_in_range<To>(inside);
        r = select(a >= above, limits::max(), r);
        return select(a < least, limits::min(), r);
    } else {
        return convert_in_range<To>(a);
    }
}

} // namespace sinter::detail

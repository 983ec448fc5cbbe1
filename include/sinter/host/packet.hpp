// sinter/host/packet.hpp -- stage 4: the values of several neighbouring elements, as one SIMD value.
//
// Invariants that all code over packets may rely on:
//  - packet<T, W> has W::lanes lanes of T, whatever T: all packets of one kernel have equal lane counts, so mixed types
//    need no special case. bool has no packet: its values are masks, whose lanes are all ones or all zeros and as wide
//    as the type that was compared; masks of different lane widths combine.
//  - Arithmetic happens in T, never in int: integers wrap; x / 0 and x % 0 are 0; shifts by the width or more give 0
//    (the sign when shifting a negative number right).
//  - Floating-point operations follow IEEE 754 in round-to-nearest; a multiplication and an addition may contract.
//  - A scalar operand is converted to the packet's own T, unless it is of a higher kind: then the packet is converted.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include <sinter/core/dtype.hpp>
#include <sinter/host/isa.hpp>
#if SINTER_X86 && !defined(__clang__)
#    include <sinter/host/avx512.hpp>
#    define SINTER_MASK_REGISTERS 1
#else
#    define SINTER_MASK_REGISTERS 0
#endif

#if defined(__clang__)
#    define SINTER_CONTRACT _Pragma("clang fp contract(fast)")
#else
#    define SINTER_CONTRACT
#endif

namespace sinter::detail {

template <std::size_t Bytes>
using sized_int = std::conditional_t<
    Bytes == 1, std::int8_t,
    std::conditional_t<Bytes == 2, std::int16_t, std::conditional_t<Bytes == 4, std::int32_t, std::int64_t>>>;

template <std::size_t Bytes>
using sized_uint = std::make_unsigned_t<sized_int<Bytes>>;

/// The compiler's vector of Lanes values of T; `unaligned` is the same with the alignment of T, for loads and stores.
template <class T, int Lanes>
struct vector_of {
    // At most 16 bytes of alignment: beyond them g++ notes an old change of calling convention in every user's build.
    using type [[gnu::vector_size(sizeof(T) * Lanes), gnu::aligned((sizeof(T) * Lanes < 16 ? sizeof(T) * Lanes : 16))]] = T;
    using unaligned [[gnu::vector_size(sizeof(T) * Lanes), gnu::aligned(alignof(T)), gnu::may_alias]] = T;
};

/// Whether masks of W are AVX-512 mask registers, one bit a lane, rather than vectors.
template <class W>
inline constexpr bool has_mask_registers = SINTER_MASK_REGISTERS && W::level == isa::v4;

template <int Lanes>
using lane_bits = std::conditional_t<
    (Lanes <= 8), std::uint8_t,
    std::conditional_t<Lanes <= 16, std::uint16_t, std::conditional_t<Lanes <= 32, std::uint32_t, std::uint64_t>>>;

/// A vector whose lanes all are `value`. (Written as a loop: g++ would take a constructor apart lane by lane before it
/// is inlined into a function that has the wide registers.)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized" // g++ -O1 does not see that all lanes are set
template <class Vector, class T>
SINTER_INLINE Vector broadcast_lanes(T value) {
    Vector r;
    for (std::size_t i = 0; i < sizeof(Vector) / sizeof(T); ++i) r[i] = value;
    return r;
}
#pragma GCC diagnostic pop

/// W::lanes truth values; each lane is an integer of `Bytes` bytes, 0 or -1.
template <std::size_t Bytes, class W>
struct mask {
    using kernel_value_tag = void;
    using value_type = bool;
    using width = W;
    using lane_type = sized_int<Bytes>;
    using vector = typename vector_of<lane_type, W::lanes>::type;
    vector v;

    SINTER_INLINE static mask splat(bool value) {
        return {broadcast_lanes<vector>(static_cast<lane_type>(-static_cast<int>(value)))};
    }
    SINTER_INLINE static mask load(const bool* from) {
        static_assert(Bytes == 1);
        using bytes = typename vector_of<std::uint8_t, W::lanes>::unaligned; // unsigned: lanes behind the last element hold anything
        return {(vector)(-*reinterpret_cast<const bytes*>(from))};
    }
};

template <std::size_t Bytes, class W>
    requires has_mask_registers<W>
struct mask<Bytes, W> {
    using kernel_value_tag = void;
    using value_type = bool;
    using width = W;
    using vector = lane_bits<W::lanes>;
    vector v;

    SINTER_INLINE static mask splat(bool value) { return {static_cast<vector>(value ? -1 : 0)}; }
    SINTER_INLINE static mask load(const bool* from);
};

/// W::lanes values of T.
template <class T, class W>
struct packet {
    static_assert(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>);
    using kernel_value_tag = void;
    using value_type = T;
    using width = W;
    using vector = typename vector_of<T, W::lanes>::type;
    using unaligned = typename vector_of<T, W::lanes>::unaligned;
    vector v;

    SINTER_INLINE static packet splat(T value) { return {broadcast_lanes<vector>(value)}; }
    SINTER_INLINE static packet load(const T* from) { return {*reinterpret_cast<const unaligned*>(from)}; }
    SINTER_INLINE void store(T* to) const { *reinterpret_cast<unaligned*>(to) = v; }
};

/// What a kernel computes with: a packet or a mask on the CPU, a value of a graph where source is generated. Functions of the
/// table take these too, inside map().
template <class V>
concept kernel_value = requires { typename std::remove_cvref_t<V>::kernel_value_tag; };

template <class>
inline constexpr bool is_packet = false;
template <class T, class W>
inline constexpr bool is_packet<packet<T, W>> = true;
template <class>
inline constexpr bool is_mask = false;
template <std::size_t B, class W>
inline constexpr bool is_mask<mask<B, W>> = true;

/// The packet of T, or the mask of one byte a lane for bool: what a leaf of T loads. (Another kind of width has other values.)
template <class T, class W>
struct values_of : std::conditional<std::is_same_v<T, bool>, mask<1, W>, packet<T, W>> {};
template <class T, class W>
using packet_of = typename values_of<T, W>::type;

// ---- bits and lanes

/// The same bits, as a packet of another type of the same size.
template <class To, class T, class W>
SINTER_INLINE packet<To, W> bits_as(packet<T, W> a) {
    static_assert(sizeof(To) == sizeof(T));
    return {reinterpret_cast<typename packet<To, W>::vector>(a.v)};
}

template <class T, std::size_t Bytes>
using half_way = std::conditional_t<std::is_signed_v<T>, sized_int<Bytes>, sized_uint<Bytes>>;

/// Lanes converted as C++ converts them; every value must be in To's range (see convert in arithmetic.hpp otherwise).
template <class To, class T, class W>
SINTER_INLINE packet<To, W> convert_in_range(packet<T, W> a) {
    if constexpr (std::is_same_v<To, T>)
        return a;
    else if constexpr (std::is_integral_v<T> && std::is_floating_point_v<To> && sizeof(T) < 4)
        return convert_in_range<To>(convert_in_range<std::int32_t>(a));
    else if constexpr (std::is_integral_v<T> && std::is_integral_v<To> && sizeof(To) > 2 * sizeof(T))
        // g++ widens and narrows vectors by a factor of two at a time, and takes others apart.
        return convert_in_range<To>(convert_in_range<half_way<T, 2 * sizeof(T)>>(a));
    else if constexpr (std::is_integral_v<T> && std::is_integral_v<To> && 2 * sizeof(To) < sizeof(T))
        return convert_in_range<To>(convert_in_range<half_way<T, sizeof(T) / 2>>(a));
    else
        return {__builtin_convertvector(a.v, typename packet<To, W>::vector)};
}

/// The same truth values, in lanes of another width.
template <std::size_t To, std::size_t B, class W>
SINTER_INLINE mask<To, W> resize(mask<B, W> m) {
    if constexpr (To == B)
        return m;
    else if constexpr (has_mask_registers<W>)
        return {m.v};
    else
        return {__builtin_convertvector(m.v, typename mask<To, W>::vector)};
}

/// 0, 1, 2, … in the lanes.
template <class T, class W>
SINTER_INLINE packet<T, W> lane_numbers() {
    packet<T, W> r;
    for (int i = 0; i < W::lanes; ++i) r.v[i] = static_cast<T>(i);
    return r;
}

// ---- masks

#define SINTER_MASK_OPERATOR(op)                                                                                       \
    template <std::size_t A, std::size_t B, class W>                                                                   \
    SINTER_INLINE auto operator op(mask<A, W> a, mask<B, W> b) {                                                       \
        constexpr std::size_t bytes = A > B ? A : B;                                                                   \
        using vector = typename mask<bytes, W>::vector;                                                                \
        return mask<bytes, W>{static_cast<vector>(resize<bytes>(a).v op resize<bytes>(b).v)};                          \
    }
SINTER_MASK_OPERATOR(&)
SINTER_MASK_OPERATOR(|)
SINTER_MASK_OPERATOR(^)
#undef SINTER_MASK_OPERATOR

template <std::size_t B, class W>
SINTER_INLINE mask<B, W> operator~(mask<B, W> m) {
    if constexpr (has_mask_registers<W>) {
        constexpr auto used = W::lanes == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << (W::lanes % 64)) - 1;
        return {static_cast<typename mask<B, W>::vector>(~m.v & used)};
    } else {
        return {~m.v};
    }
}
template <std::size_t B, class W>
SINTER_INLINE mask<B, W> operator!(mask<B, W> m) {
    return ~m;
}
template <std::size_t A, std::size_t B, class W>
SINTER_INLINE auto operator==(mask<A, W> a, mask<B, W> b) {
    return ~(a ^ b);
}
template <std::size_t A, std::size_t B, class W>
SINTER_INLINE auto operator!=(mask<A, W> a, mask<B, W> b) {
    return a ^ b;
}

template <class W>
using half = width<W::level, W::lanes / 2>;

/// Lanes i, i + 1, … of a, half as many.
template <class T, class W>
SINTER_INLINE packet<T, half<W>> part(packet<T, W> a, int i) {
    packet<T, half<W>> r;
    std::memcpy(&r.v, reinterpret_cast<const char*>(&a.v) + i * sizeof(T), sizeof(r.v));
    return r;
}
template <class T, class W>
SINTER_INLINE void set_part(packet<T, W>& a, int i, packet<T, half<W>> value) {
    std::memcpy(reinterpret_cast<char*>(&a.v) + i * sizeof(T), &value.v, sizeof(value.v));
}

/// a where m is true, else b.
template <std::size_t B, class T, class W>
SINTER_INLINE packet<T, W> select(mask<B, W> m, packet<T, W> a, packet<T, W> b) {
    if constexpr (has_mask_registers<W>) {
#if SINTER_MASK_REGISTERS
        if constexpr (sizeof(a.v) < 16) { // too small for the instructions
            return convert_in_range<T>(select(m, convert_in_range<std::int16_t>(a), convert_in_range<std::int16_t>(b)));
        } else if constexpr (sizeof(a.v) > 64) { // in two registers or more
            packet<T, W> r;
            for (int i = 0; i < W::lanes; i += half<W>::lanes)
                set_part(r, i, select(mask<B, half<W>>{static_cast<lane_bits<half<W>::lanes>>(m.v >> i)}, part(a, i), part(b, i)));
            return r;
        } else {
            using vector = avx512::vec<avx512::element<sizeof(T)>, sizeof(a.v)>;
            return {(typename packet<T, W>::vector)avx512::blend(m.v, (vector)a.v, (vector)b.v)};
        }
#endif
    } else {
        return {resize<sizeof(T)>(m).v ? a.v : b.v};
    }
}
template <std::size_t B, class T, class W>
SINTER_INLINE packet<T, W> select(mask<B, W> m, packet<T, W> a, std::type_identity_t<T> b) {
    return select(m, a, packet<T, W>::splat(b));
}
template <std::size_t B, class T, class W>
SINTER_INLINE packet<T, W> select(mask<B, W> m, std::type_identity_t<T> a, packet<T, W> b) {
    return select(m, packet<T, W>::splat(a), b);
}
template <std::size_t B, std::size_t X, std::size_t Y, class W>
SINTER_INLINE auto select(mask<B, W> m, mask<X, W> a, mask<Y, W> b) {
    return (m & a) | (~m & b);
}

/// Whether any lane, every lane is true.
template <std::size_t B, class W>
SINTER_INLINE bool any_lane(mask<B, W> m) {
    if constexpr (has_mask_registers<W>) {
        return m.v != 0;
    } else {
        std::uint64_t words[(sizeof(m.v) + 7) / 8] = {};
        std::memcpy(words, &m.v, sizeof(m.v));
        std::uint64_t any = 0;
        for (const std::uint64_t word : words) any |= word;
        return any != 0;
    }
}
template <std::size_t B, class W>
SINTER_INLINE bool all_lanes(mask<B, W> m) {
    return !any_lane(~m);
}

// ---- arithmetic

/// Signed integers compute as unsigned ones, where overflow wraps.
template <class T>
using wrapping = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<std::conditional_t<std::is_integral_v<T>, T, int>>,
                                             std::type_identity<T>>::type;

#define SINTER_PACKET_OPERATOR(op, as)                                                                                 \
    template <class T, class W>                                                                                        \
    SINTER_INLINE packet<T, W> operator op(packet<T, W> a, packet<T, W> b) {                                           \
        SINTER_CONTRACT                                                                                                \
        return bits_as<T>(packet<as<T>, W>{bits_as<as<T>>(a).v op bits_as<as<T>>(b).v});                              \
    }
template <class T>
using unsigned_bits = sized_uint<sizeof(T)>;
SINTER_PACKET_OPERATOR(+, wrapping)
SINTER_PACKET_OPERATOR(-, wrapping)
SINTER_PACKET_OPERATOR(*, wrapping)
SINTER_PACKET_OPERATOR(&, unsigned_bits)
SINTER_PACKET_OPERATOR(|, unsigned_bits)
SINTER_PACKET_OPERATOR(^, unsigned_bits)
#undef SINTER_PACKET_OPERATOR

#if SINTER_MASK_REGISTERS
template <avx512::compare C, class T, class W>
SINTER_INLINE mask<sizeof(T), W> compare_into_register(packet<T, W> a, packet<T, W> b) {
    if constexpr (sizeof(a.v) < 16) { // too small for the instructions
        return {compare_into_register<C>(convert_in_range<std::int16_t>(a), convert_in_range<std::int16_t>(b)).v};
    } else if constexpr (sizeof(a.v) > 64) { // in two registers or more
        lane_bits<W::lanes> bits = 0;
        for (int i = 0; i < W::lanes; i += half<W>::lanes)
            bits |= static_cast<lane_bits<W::lanes>>(compare_into_register<C>(part(a, i), part(b, i)).v) << i;
        return {bits};
    } else {
        using vector = avx512::vec<avx512::compared<T>, sizeof(a.v)>;
        return {avx512::test<C>((vector)a.v, (vector)b.v)};
    }
}
#    define SINTER_COMPARE(op, name)                                                                                   \
        if constexpr (has_mask_registers<W>) return compare_into_register<avx512::compare::name>(a, b);                \
        else
#else
#    define SINTER_COMPARE(op, name)
#endif

#define SINTER_PACKET_COMPARISON(op, name)                                                                             \
    template <class T, class W>                                                                                        \
    SINTER_INLINE mask<sizeof(T), W> operator op(packet<T, W> a, packet<T, W> b) {                                     \
        SINTER_COMPARE(op, name)                                                                                       \
        return {reinterpret_cast<typename mask<sizeof(T), W>::vector>(a.v op b.v)};                                    \
    }
SINTER_PACKET_COMPARISON(==, eq)
SINTER_PACKET_COMPARISON(!=, ne)
SINTER_PACKET_COMPARISON(<, lt)
SINTER_PACKET_COMPARISON(<=, le)
SINTER_PACKET_COMPARISON(>, gt)
SINTER_PACKET_COMPARISON(>=, ge)
#undef SINTER_PACKET_COMPARISON
#undef SINTER_COMPARE

/// Bytes of a bool array, 0 or 1 each.
template <class W>
SINTER_INLINE void store(mask<1, W> m, bool* to) {
    if constexpr (has_mask_registers<W>) {
        select(m, packet<std::uint8_t, W>::splat(1), packet<std::uint8_t, W>{}).store(reinterpret_cast<std::uint8_t*>(to));
    } else {
        using bytes = typename vector_of<std::uint8_t, W::lanes>::unaligned; // unsigned, as when they are loaded
        *reinterpret_cast<bytes*>(to) = -(typename vector_of<std::uint8_t, W::lanes>::type)m.v;
    }
}
template <class T, class W>
SINTER_INLINE void store(packet<T, W> a, T* to) {
    a.store(to);
}

#if SINTER_MASK_REGISTERS
template <std::size_t Bytes, class W>
    requires has_mask_registers<W>
SINTER_INLINE mask<Bytes, W> mask<Bytes, W>::load(const bool* from) {
    static_assert(Bytes == 1);
    return packet<std::uint8_t, W>::load(reinterpret_cast<const std::uint8_t*>(from)) != packet<std::uint8_t, W>{};
}
#endif

template <class T, class W>
SINTER_INLINE packet<T, W> operator~(packet<T, W> a) {
    return bits_as<T>(packet<unsigned_bits<T>, W>{~bits_as<unsigned_bits<T>>(a).v});
}

template <class T, class W>
SINTER_INLINE packet<T, W> operator-(packet<T, W> a) {
    if constexpr (std::is_floating_point_v<T>)
        return {-a.v};
    else
        return packet<T, W>{} - a;
}

/// Divisors that cannot trap: 1 in place of 0, and of -1 under the least integer (whose quotient wraps to itself).
template <class T, class W>
SINTER_INLINE packet<T, W> safe_divisor(packet<T, W> a, packet<T, W> b) {
    const auto one = packet<T, W>::splat(1);
    b = select(b == packet<T, W>{}, one, b);
    if constexpr (std::is_signed_v<T>) {
        const auto least = packet<T, W>::splat(std::numeric_limits<T>::min());
        b = select((b == packet<T, W>::splat(-1)) & (a == least), one, b);
    }
    return b;
}

template <class T, class W>
SINTER_INLINE packet<T, W> operator/(packet<T, W> a, packet<T, W> b) {
    if constexpr (std::is_floating_point_v<T>)
        return {a.v / b.v};
    else
        return select(b == packet<T, W>{}, packet<T, W>{}, packet<T, W>{a.v / safe_divisor(a, b).v});
}

template <class T, class W>
SINTER_INLINE packet<T, W> operator%(packet<T, W> a, packet<T, W> b) {
    static_assert(std::is_integral_v<T>);
    return select(b == packet<T, W>{}, packet<T, W>{}, packet<T, W>{a.v % safe_divisor(a, b).v});
}

/// Whether the shift count is below the width (a negative count is not).
template <class T, class W>
SINTER_INLINE auto shift_in_range(packet<T, W> count) {
    using U = unsigned_bits<T>;
    return bits_as<U>(count) < packet<U, W>::splat(8 * sizeof(T));
}

template <class T, class W>
SINTER_INLINE packet<T, W> operator<<(packet<T, W> a, packet<T, W> count) {
    using U = unsigned_bits<T>;
    const auto n = bits_as<U>(count) & packet<U, W>::splat(8 * sizeof(T) - 1);
    return select(shift_in_range(count), bits_as<T>(packet<U, W>{bits_as<U>(a).v << n.v}), packet<T, W>{});
}

template <class T, class W>
SINTER_INLINE packet<T, W> operator>>(packet<T, W> a, packet<T, W> count) {
    constexpr T last = 8 * sizeof(T) - 1;
    const auto n = select(shift_in_range(count), count, last);
    const packet<T, W> shifted{a.v >> n.v};
    if constexpr (std::is_signed_v<T>)
        return shifted;
    else
        return select(shift_in_range(count), shifted, packet<T, W>{});
}

/// Defined in arithmetic.hpp.
template <class To, class T, class W>
SINTER_INLINE auto convert(packet<T, W> a);

// Packets of different types, and scalars beside packets, compute in their common type, as tensors do.
#define SINTER_MIXED_OPERATOR(op)                                                                                      \
    template <class T, class U, class W>                                                                               \
        requires(!std::is_same_v<T, U>)                                                                                \
    SINTER_INLINE auto operator op(packet<T, W> a, packet<U, W> b) {                                                   \
        return convert<promote<T, U>>(a) op convert<promote<T, U>>(b);                                                 \
    }                                                                                                                  \
    template <class T, class W, class S>                                                                               \
        requires std::is_arithmetic_v<S>                                                                               \
    SINTER_INLINE auto operator op(packet<T, W> a, S b) {                                                              \
        using C = promote_scalar<T, S>;                                                                                \
        return convert<C>(a) op packet<C, W>::splat(static_cast<C>(b));                                                \
    }                                                                                                                  \
    template <class T, class W, class S>                                                                               \
        requires std::is_arithmetic_v<S>                                                                               \
    SINTER_INLINE auto operator op(S a, packet<T, W> b) {                                                              \
        using C = promote_scalar<T, S>;                                                                                \
        return packet<C, W>::splat(static_cast<C>(a)) op convert<C>(b);                                                \
    }
SINTER_MIXED_OPERATOR(+)
SINTER_MIXED_OPERATOR(-)
SINTER_MIXED_OPERATOR(*)
SINTER_MIXED_OPERATOR(/)
SINTER_MIXED_OPERATOR(%)
SINTER_MIXED_OPERATOR(&)
SINTER_MIXED_OPERATOR(|)
SINTER_MIXED_OPERATOR(^)
SINTER_MIXED_OPERATOR(<<)
SINTER_MIXED_OPERATOR(>>)
SINTER_MIXED_OPERATOR(==)
SINTER_MIXED_OPERATOR(!=)
SINTER_MIXED_OPERATOR(<)
SINTER_MIXED_OPERATOR(<=)
SINTER_MIXED_OPERATOR(>)
SINTER_MIXED_OPERATOR(>=)
#undef SINTER_MIXED_OPERATOR

} // namespace sinter::detail

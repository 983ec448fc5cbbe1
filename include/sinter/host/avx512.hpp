// sinter/host/avx512.hpp -- stage 4: comparison into, and selection by, AVX-512 mask registers.
//
// Only for g++: outside a function with the AVX-512 target it gives vector comparisons a type that it must later take
// apart lane by lane. clang needs none of this. Included by packet.hpp, which says what the operations mean.
#pragma once

#include <cstdint>
#include <type_traits>

#include <sinter/host/isa.hpp>

#if SINTER_X86 && !defined(__clang__)
namespace sinter::detail::avx512 {

enum class compare { eq = 0, lt = 1, le = 2, ne = 4, ge = 5, gt = 6 };

/// The predicate for floats: as the integer one, but quiet, and a NaN fails all but `ne`.
template <compare C>
inline constexpr int float_predicate = C == compare::lt   ? 0x11
                                       : C == compare::le ? 0x12
                                       : C == compare::ge ? 0x1d
                                       : C == compare::gt ? 0x1e
                                                          : static_cast<int>(C);

template <class E, int Bytes>
using vec [[gnu::vector_size(Bytes), gnu::aligned(16)]] = E;

// One overload an element type and vector size: bits of (a C b); and a where a bit of k is set, else b.
#define SINTER_AVX512_INTEGER(bytes, suffix, name, element, bits)                                                      \
    template <compare C>                                                                                               \
    SINTER_INLINE bits test(const vec<element, bytes>& a, const vec<element, bytes>& b) {                                            \
        return static_cast<bits>(__builtin_ia32_cmp##name##suffix##_mask(a, b, static_cast<int>(C), bits(-1)));        \
    }                                                                                                                  \
    template <compare C>                                                                                               \
    SINTER_INLINE bits test(const vec<std::make_unsigned_t<element>, bytes>& a, const vec<std::make_unsigned_t<element>, bytes>& b) { \
        return static_cast<bits>(__builtin_ia32_ucmp##name##suffix##_mask(                                             \
            (vec<element, bytes>)a, (vec<element, bytes>)b, static_cast<int>(C), bits(-1)));                           \
    }                                                                                                                  \
    SINTER_INLINE vec<element, bytes> blend(bits k, const vec<element, bytes>& a, const vec<element, bytes>& b) {                    \
        return __builtin_ia32_blendm##name##_##suffix##_mask(b, a, k);                                                 \
    }
#define SINTER_AVX512_SIZES(name, element, bits64, bits32, bits16)                                                     \
    SINTER_AVX512_INTEGER(64, 512, name, element, bits64)                                                              \
    SINTER_AVX512_INTEGER(32, 256, name, element, bits32)                                                              \
    SINTER_AVX512_INTEGER(16, 128, name, element, bits16)
SINTER_AVX512_SIZES(b, char, std::uint64_t, std::uint32_t, std::uint16_t)
SINTER_AVX512_SIZES(w, short, std::uint32_t, std::uint16_t, std::uint8_t)
SINTER_AVX512_SIZES(d, int, std::uint16_t, std::uint8_t, std::uint8_t)
SINTER_AVX512_SIZES(q, long long, std::uint8_t, std::uint8_t, std::uint8_t)
#undef SINTER_AVX512_SIZES
#undef SINTER_AVX512_INTEGER

template <compare C>
SINTER_INLINE std::uint16_t test(const vec<float, 64>& a, const vec<float, 64>& b) {
    return static_cast<std::uint16_t>(__builtin_ia32_cmpps512_mask(a, b, float_predicate<C>, -1, 4));
}
template <compare C>
SINTER_INLINE std::uint8_t test(const vec<float, 32>& a, const vec<float, 32>& b) {
    return static_cast<std::uint8_t>(__builtin_ia32_cmpps256_mask(a, b, float_predicate<C>, -1));
}
template <compare C>
SINTER_INLINE std::uint8_t test(const vec<double, 64>& a, const vec<double, 64>& b) {
    return static_cast<std::uint8_t>(__builtin_ia32_cmppd512_mask(a, b, float_predicate<C>, -1, 4));
}

/// The element types that the overloads above are spelled with.
template <std::size_t Bytes>
using element = std::conditional_t<
    Bytes == 1, char, std::conditional_t<Bytes == 2, short, std::conditional_t<Bytes == 4, int, long long>>>;

template <class T>
using compared = typename std::conditional_t<
    std::is_floating_point_v<T>, std::type_identity<T>,
    std::conditional_t<std::is_signed_v<T>, std::type_identity<element<sizeof(T)>>,
                       std::make_unsigned<element<sizeof(T)>>>>::type;

} // namespace sinter::detail::avx512
#endif

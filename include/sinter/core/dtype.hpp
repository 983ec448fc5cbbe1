// sinter/core/dtype.hpp -- element types, their kinds, and which type two of them give together.
//
// The promotion table is the array API standard's; where the standard leaves a pair open (integer with floating,
// int64 with uint64), it is NumPy's, as far as sinter has the type.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace sinter {

/// The element types at run time, in files and in messages.
enum class dtype { boolean, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64 };

namespace detail {

template <class T, class... Of>
inline constexpr bool is_one_of = (std::is_same_v<T, Of> || ...);

/// boolean < integer < floating: a scalar widens a tensor's type only when its kind is higher.
enum class kind { boolean, integer, floating };

template <class T>
constexpr kind kind_of() {
    return std::is_same_v<T, bool> ? kind::boolean : std::is_integral_v<T> ? kind::integer : kind::floating;
}

template <std::size_t Bytes, bool Signed>
struct integer_of;
template <>
struct integer_of<1, true> : std::type_identity<std::int8_t> {};
template <>
struct integer_of<2, true> : std::type_identity<std::int16_t> {};
template <>
struct integer_of<4, true> : std::type_identity<std::int32_t> {};
template <>
struct integer_of<8, true> : std::type_identity<std::int64_t> {};
template <>
struct integer_of<1, false> : std::type_identity<std::uint8_t> {};
template <>
struct integer_of<2, false> : std::type_identity<std::uint16_t> {};
template <>
struct integer_of<4, false> : std::type_identity<std::uint32_t> {};
template <>
struct integer_of<8, false> : std::type_identity<std::uint64_t> {};

/// The element type that stands for an arithmetic type of C++: long long becomes int64, char an 8-bit integer.
template <class S>
struct canonical : integer_of<sizeof(S), std::is_signed_v<S>> {};
template <>
struct canonical<bool> : std::type_identity<bool> {};
template <>
struct canonical<float> : std::type_identity<float> {};
template <>
struct canonical<double> : std::type_identity<double> {};
template <>
struct canonical<long double> : std::type_identity<double> {};

template <class A, class B>
constexpr auto promoted() {
    if constexpr (std::is_same_v<A, B>)
        return std::type_identity<A>{};
    else if constexpr (kind_of<A>() != kind_of<B>())
        return std::conditional_t<(kind_of<A>() > kind_of<B>()), std::type_identity<A>, std::type_identity<B>>{};
    else if constexpr (kind_of<A>() == kind::floating || std::is_signed_v<A> == std::is_signed_v<B>)
        return std::conditional_t<(sizeof(A) > sizeof(B)), std::type_identity<A>, std::type_identity<B>>{};
    else {
        using S = std::conditional_t<std::is_signed_v<A>, A, B>;
        using U = std::conditional_t<std::is_signed_v<A>, B, A>;
        if constexpr (sizeof(S) > sizeof(U))
            return std::type_identity<S>{};
        else if constexpr (sizeof(U) < 8)
            return integer_of<2 * sizeof(U), true>{};
        else
            return std::type_identity<double>{};
    }
}

} // namespace detail

/// The types that a tensor can hold.
template <class T>
concept element = detail::is_one_of<T, bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                                    std::uint16_t, std::uint32_t, std::uint64_t, float, double>;

/// A C++ value that may stand beside a tensor.
template <class S>
concept scalar = std::is_arithmetic_v<S>;

/// The type that elements of types A and B give together.
template <element A, element B>
using promote = typename decltype(detail::promoted<A, B>())::type;

/// The type that a tensor of T and a C++ scalar S give together: T, unless S is of a higher kind.
template <element T, scalar S>
using promote_scalar =
    std::conditional_t<(detail::kind_of<typename detail::canonical<S>::type>() > detail::kind_of<T>()),
                       typename detail::canonical<S>::type, T>;

namespace detail {

/// What a sum or a product of T is accumulated in, and its type: 64 bits for integers and bools.
template <class T>
using accumulated = std::conditional_t<std::is_floating_point_v<T>, T,
                                       std::conditional_t<std::is_signed_v<T> || std::is_same_v<T, bool>, std::int64_t, std::uint64_t>>;

/// The floating type that T is converted to by functions that need one.
template <class T>
using as_floating = std::conditional_t<std::is_floating_point_v<T>, T, double>;

template <element T>
constexpr dtype dtype_of() {
    using enum dtype;
    if constexpr (std::is_same_v<T, bool>)
        return boolean;
    else if constexpr (std::is_floating_point_v<T>)
        return sizeof(T) == 4 ? float32 : float64;
    else {
        constexpr int log2 = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
        return static_cast<dtype>(static_cast<int>(std::is_signed_v<T> ? int8 : uint8) + log2);
    }
}

} // namespace detail

/// The name of an element type as NumPy spells it.
constexpr const char* name(dtype type) {
    constexpr const char* names[] = {"bool",  "int8",   "int16",  "int32",   "int64",  "uint8",
                                     "uint16", "uint32", "uint64", "float32", "float64"};
    return names[static_cast<int>(type)];
}

/// Bytes of one element.
constexpr std::size_t bytes_of(dtype type) {
    constexpr std::size_t bytes[] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8};
    return bytes[static_cast<int>(type)];
}

} // namespace sinter

// sinter/expr/concepts.hpp -- stage 1: what counts as an expression, and what stands for a C++ scalar beside one.
//
// An expression is a value: it holds its operands (a tensor shares its buffer), so it is safe to keep, copy and return.
// Every node type has `value_type`, `rank` and `shape()`, and says in `detail` what the later stages do with it.
#pragma once

#include <concepts>
#include <type_traits>

#include <sinter/core/dtype.hpp>
#include <sinter/core/shape.hpp>

namespace sinter {

/// The base of every node. In this namespace, so that operators on expressions are found wherever they are written.
struct expression_base {};

template <class E>
concept expression = std::derived_from<std::remove_cvref_t<E>, expression_base>;

/// The element type of an expression.
template <expression E>
using value_type = typename std::remove_cvref_t<E>::value_type;

/// The rank of an expression.
template <expression E>
inline constexpr int rank = std::remove_cvref_t<E>::rank;

/// What an elementwise function takes: an expression, or a C++ scalar.
template <class A>
concept operand = expression<A> || scalar<std::remove_cvref_t<A>>;

/// Operands of which one at least is an expression.
template <class... A>
concept operands = (operand<A> && ...) && (expression<A> || ...);

namespace detail {

/// A C++ scalar inside an expression. It has rank 0, and never widens the type of what stands beside it.
template <class T>
struct constant : expression_base {
    using value_type = T;
    static constexpr int rank = 0;
    T value;

    explicit constant(T v) : value(v) {}
    sinter::shape<0> shape() const { return {}; }
};

template <class>
inline constexpr bool is_constant = false;
template <class T>
inline constexpr bool is_constant<constant<T>> = true;

/// An operand as a node: expressions as they are, scalars as constants.
template <operand A>
decltype(auto) as_node(A&& a) {
    if constexpr (expression<A>)
        return std::forward<A>(a);
    else
        return constant<typename canonical<std::remove_cvref_t<A>>::type>(static_cast<typename canonical<std::remove_cvref_t<A>>::type>(a));
}
template <operand A>
using node_of = std::remove_cvref_t<decltype(as_node(std::declval<A>()))>;

/// The type that two nodes give together, neither, either or both of which may be constants.
template <class A, class B>
constexpr auto common_type_of() {
    using X = typename A::value_type;
    using Y = typename B::value_type;
    if constexpr (is_constant<A> == is_constant<B>)
        return std::type_identity<promote<X, Y>>{};
    else if constexpr (is_constant<B>)
        return std::type_identity<promote_scalar<X, Y>>{};
    else
        return std::type_identity<promote_scalar<Y, X>>{};
}

/// The common type of several nodes: of the tensors first, then of what the constants add by their kind.
template <class... Nodes>
struct common;
template <class A>
struct common<A> : std::type_identity<typename A::value_type> {};
template <class A, class B>
struct common<A, B> : decltype(common_type_of<A, B>()) {};
template <class T, bool Constant>
struct typed {
    using value_type = T;
};
template <class T, bool C>
inline constexpr bool is_constant<typed<T, C>> = C;
template <class A, class B, class C, class... Rest>
struct common<A, B, C, Rest...>
    : common<typed<typename common<A, B>::type, is_constant<A> && is_constant<B>>, C, Rest...> {};
template <class... Nodes>
using common_type = typename common<Nodes...>::type;

/// The shape that all nodes broadcast to.
template <class A, class... Rest>
auto broadcast_all(const char* operation, const A& a, const Rest&... rest) {
    if constexpr (sizeof...(Rest) == 0)
        return a.shape();
    else
        return broadcast_shapes(operation, a.shape(), broadcast_all(operation, rest...));
}

} // namespace detail
} // namespace sinter

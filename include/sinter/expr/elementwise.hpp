// sinter/expr/elementwise.hpp -- stage 1: elementwise operations: the node, and the functions and operators made from the table.
#pragma once

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include <sinter/expr/concepts.hpp>
#include <sinter/host/arithmetic.hpp>

namespace sinter {
namespace detail {

// ---- what a row of the table says, as constants of a tag type

enum class takes { any, number, whole, integer, boolean, floating };
enum class gives { same, boolean };

/// The type in which an operation that takes `T` computes on operands whose common type is C; void where it refuses C.
template <takes T, class C>
constexpr auto computed_in() {
    constexpr kind k = kind_of<C>();
    if constexpr (T == takes::boolean)
        return std::type_identity<bool>{};
    else if constexpr (T == takes::floating)
        return std::type_identity<as_floating<C>>{};
    else if constexpr ((T == takes::number && k == kind::boolean) || (T == takes::whole && k == kind::floating) ||
                       (T == takes::integer && k != kind::integer))
        return std::type_identity<void>{};
    else
        return std::type_identity<C>{};
}

template <class C>
struct operands_of_type; // named in an error message: the common type of the operands

/// The refusal of a type, in one readable line.
template <takes T, class C>
struct accepts {
    static_assert(T != takes::number || kind_of<C>() != kind::boolean,
                  "sinter: this operation takes numbers, and these operands are bool: use sinter::cast<int>(x), or & | ^ for logic");
    static_assert(T != takes::whole || kind_of<C>() != kind::floating,
                  "sinter: bitwise operations take integers or bool, and this operand is floating-point: use sinter::cast<int>(x)");
    static_assert(T != takes::integer || kind_of<C>() == kind::integer,
                  "sinter: shifts take integers: use sinter::cast<int>(x)");
    using type = typename decltype(computed_in<T, C>())::type;
};

// In the scope of these tags a name such as exp means the packet functions, found by argument-dependent lookup.
#define SINTER_PARAMETERS_1 class A
#define SINTER_PARAMETERS_2 class A, class B
#define SINTER_PARAMETERS_3 class A, class B, class C
#define SINTER_ARGUMENTS_1 [[maybe_unused]] A a
#define SINTER_ARGUMENTS_2 [[maybe_unused]] A a, [[maybe_unused]] B b
#define SINTER_ARGUMENTS_3 [[maybe_unused]] A a, [[maybe_unused]] B b, [[maybe_unused]] C c
#define SINTER_OP(op, count, taken, given, error, spelling, ...)                                                       \
    struct op##_op {                                                                                                   \
        static constexpr const char* name = #op;                                                                       \
        static constexpr int args = count;                                                                             \
        static constexpr auto operand_type = takes::taken;                                                             \
        static constexpr auto result_type = gives::given;                                                              \
        static constexpr int ulp = error;                                                                              \
        template <SINTER_PARAMETERS_##count>                                                                           \
        [[gnu::always_inline]] static auto value(SINTER_ARGUMENTS_##count) {                                           \
            return __VA_ARGS__;                                                                                        \
        }                                                                                                              \
    };
#include <sinter/expr/ops.def>
#undef SINTER_PARAMETERS_1
#undef SINTER_PARAMETERS_2
#undef SINTER_PARAMETERS_3
#undef SINTER_ARGUMENTS_1
#undef SINTER_ARGUMENTS_2
#undef SINTER_ARGUMENTS_3

// ---- the node

/// An operation on the elements of its operands, which broadcast. `Compute` is the type that operands are converted to.
template <class Op, class Compute, class... Args>
struct elementwise : expression_base {
    using value_type = typename Op::template result<Compute>;
    using operation = Op;
    using compute_type = Compute;
    static constexpr int rank = std::max({Args::rank...});

    [[no_unique_address]] Op op;
    std::tuple<Args...> args;
    sinter::shape<rank> extents;

    /// Operands go to their place at once: each move of a deep expression costs as much as the expression is large.
    template <class... A>
    explicit elementwise(Op o, A&&... a)
        : op(std::move(o)), args(std::forward<A>(a)...),
          extents(std::apply([](const auto&... x) { return broadcast_all(Op::name, x...); }, args)) {}
    const sinter::shape<rank>& shape() const { return extents; }
};

/// Functions whose float version has float arithmetic. The others compute float in double (host/math.hpp), so that their
/// kernels have no more lanes than doubles fit into a register.
template <class Row>
inline constexpr bool has_float_arithmetic =
    is_one_of<Row, exp_op, exp2_op, log_op, erf_op, sin_op, cos_op, tan_op, asin_op, acos_op, atan_op, atan2_op, sinh_op, cosh_op, tanh_op,
              asinh_op, acosh_op, atanh_op>;
template <class Row>
inline constexpr bool computes_in_double = (Row::ulp > 0 && !has_float_arithmetic<Row>) || is_one_of<Row, fmod_op, remainder_op, floor_divide_op>;

/// A row of the table as the operation of a node.
template <class Row>
struct table_op : Row {
    template <class Compute>
    using result = std::conditional_t<Row::result_type == gives::boolean, bool, Compute>;
    /// Rough cycles a packet: functions with an error bound are polynomials of 15 to 40 terms.
    static constexpr int cost = Row::ulp == 0 ? 1 : Row::ulp <= 2 ? 16 : 48;
    static constexpr bool exact = false;
    /// Bytes of the widest lane that computing in `Compute` needs.
    template <class Compute>
    static constexpr std::size_t widest = std::is_same_v<Compute, float> && computes_in_double<Row> ? sizeof(double) : sizeof(Compute);
    /// The type that operand I, whose own type is Own, is converted to.
    template <class Compute, std::size_t I, class Own>
    using operand_as = Compute;
};

/// A comparison of int64 with uint64, which have no common integer type: by mathematical value.
template <class Row>
struct mixed_comparison : table_op<Row> {
    template <class Compute, std::size_t I, class Own>
    using operand_as = Own;
    template <class A, class B>
    [[gnu::always_inline]] static auto value(A a, B b) {
        const auto in_range = Row::value(convert<std::uint64_t>(a), convert<std::uint64_t>(b));
        if constexpr (std::is_signed_v<typename A::value_type>)
            return select(a < 0, Row::value(A::splat(-1), A::splat(0)), in_range);
        else
            return select(b < 0, Row::value(B::splat(0), B::splat(-1)), in_range);
    }
};

/// A comparison with a C++ integer, which may be outside the range of the tensor's type: then it is the same for all.
template <class Row>
struct scalar_comparison : table_op<Row> {
    std::int8_t scalar_is = 0; // -1: below the type's range, 0: inside, 1: above
    bool scalar_first = false;
    template <class A>
    [[gnu::always_inline]] auto value(A a, A b) const {
        const auto inside = Row::value(a, b);
        if (scalar_is == 0) return inside;
        const bool first_greater = (scalar_is > 0) == scalar_first;
        return Row::value(A::splat(first_greater), A::splat(!first_greater));
    }
};

template <class T, class C>
constexpr std::int8_t where_in_range(const constant<C>& c) {
    return std::cmp_less(c.value, std::numeric_limits<T>::min()) ? -1 : std::cmp_greater(c.value, std::numeric_limits<T>::max());
}

/// The operands of a comparison: which of the three kinds it is.
template <class Row, class A, class B>
auto make_comparison(A a, B b) {
    using X = typename A::value_type;
    using Y = typename B::value_type;
    constexpr bool integers = kind_of<X>() == kind::integer && kind_of<Y>() == kind::integer;
    if constexpr (integers && !is_constant<A> && is_constant<B>) {
        return elementwise<scalar_comparison<Row>, X, A, B>({{}, where_in_range<X>(b), false}, std::move(a), b);
    } else if constexpr (integers && is_constant<A> && !is_constant<B>) {
        return elementwise<scalar_comparison<Row>, Y, A, B>({{}, where_in_range<Y>(a), true}, a, std::move(b));
    } else if constexpr (integers && std::is_same_v<promote<X, Y>, double>) {
        return elementwise<mixed_comparison<Row>, double, A, B>({}, std::move(a), std::move(b));
    } else {
        using compute = typename accepts<Row::operand_type, common_type<A, B>>::type;
        return elementwise<table_op<Row>, compute, A, B>({}, std::move(a), std::move(b));
    }
}

/// A scalar of the nearest value that T has, for minimum, maximum and clamp.
template <class T, class A>
auto saturated(A&& a) {
    using node = std::remove_cvref_t<A>;
    if constexpr (is_constant<node> && kind_of<T>() == kind::integer) {
        if constexpr (kind_of<typename node::value_type>() == kind::integer) {
            const auto where = where_in_range<T>(a);
            return constant<T>(where < 0   ? std::numeric_limits<T>::min()
                               : where > 0 ? std::numeric_limits<T>::max()
                                           : static_cast<T>(a.value));
        } else {
            return constant<T>(static_cast<T>(a.value));
        }
    } else {
        return node(std::forward<A>(a));
    }
}

template <class Row, operand... A>
auto make_elementwise(A&&... a) {
    if constexpr (Row::result_type == gives::boolean && Row::args == 2 && Row::operand_type != takes::boolean) {
        return make_comparison<Row, node_of<A>...>(as_node(std::forward<A>(a))...);
    } else {
        using C = common_type<node_of<A>...>;
        using compute = typename accepts<Row::operand_type, C>::type;
        if constexpr (Row::operand_type == takes::any)
            return elementwise<table_op<Row>, compute, decltype(saturated<compute>(as_node(std::forward<A>(a))))...>(
                {}, saturated<compute>(as_node(std::forward<A>(a)))...);
        else
            return elementwise<table_op<Row>, compute, node_of<A>...>({}, as_node(std::forward<A>(a))...);
    }
}

template <class... V>
concept kernel_values = ((kernel_value<V> || scalar<std::remove_cvref_t<V>>)&&...) && (kernel_value<V> || ...);

/// The width that kernel values have in common.
template <class A, class... V>
struct width_among : width_among<V...> {};
template <kernel_value A, class... V>
struct width_among<A, V...> : std::type_identity<typename A::width> {};

template <class V>
constexpr auto typed_as() {
    if constexpr (kernel_value<V>)
        return typed<typename V::value_type, false>{};
    else
        return typed<typename canonical<V>::type, true>{};
}

template <class C, class W, class V>
[[gnu::always_inline]] inline auto as_kernel_value(const V& v) {
    if constexpr (!kernel_value<V>)
        return packet_of<C, W>::splat(static_cast<C>(v));
    else if constexpr (std::is_same_v<typename V::value_type, C>)
        return v;
    else
        return convert<C>(v);
}

/// A function of the table on kernel values, with the types that it has on tensors.
template <class Row, class... V>
[[gnu::always_inline]] inline auto compute(const V&... v) {
    using C = common_type<decltype(typed_as<V>())...>;
    using K = typename accepts<Row::operand_type, C>::type;
    return Row::value(as_kernel_value<K, typename width_among<V...>::type>(v)...);
}

} // namespace detail

// ---- the public functions, one a row

#define SINTER_OP(op, count, ...) SINTER_FUNCTION_##count(op)
#define SINTER_FUNCTION_1(op)                                                                                          \
    template <class A>                                                                                                 \
        requires operands<A>                                                                                           \
    auto op(A&& a) {                                                                                                   \
        return detail::make_elementwise<detail::op##_op>(std::forward<A>(a));                                          \
    } \
    template <class A> \
        requires detail::kernel_values<A> \
    [[gnu::always_inline]] inline auto op(A a) { \
        return detail::compute<detail::op##_op>(a); \
    }
#define SINTER_FUNCTION_2(op)                                                                                          \
    template <class A, class B>                                                                                        \
        requires operands<A, B>                                                                                        \
    auto op(A&& a, B&& b) {                                                                                            \
        return detail::make_elementwise<detail::op##_op>(std::forward<A>(a), std::forward<B>(b));                      \
    } \
    template <class A, class B> \
        requires detail::kernel_values<A, B> \
    [[gnu::always_inline]] inline auto op(A a, B b) { \
        return detail::compute<detail::op##_op>(a, b); \
    }
#define SINTER_FUNCTION_3(op)                                                                                          \
    template <class A, class B, class C>                                                                               \
        requires operands<A, B, C>                                                                                     \
    auto op(A&& a, B&& b, C&& c) {                                                                                     \
        return detail::make_elementwise<detail::op##_op>(std::forward<A>(a), std::forward<B>(b), std::forward<C>(c));  \
    } \
    template <class A, class B, class C> \
        requires detail::kernel_values<A, B, C> \
    [[gnu::always_inline]] inline auto op(A a, B b, C c) { \
        return detail::compute<detail::op##_op>(a, b, c); \
    }
#include <sinter/expr/ops.def>
#undef SINTER_FUNCTION_1
#undef SINTER_FUNCTION_2
#undef SINTER_FUNCTION_3

// ---- operators

#define SINTER_UNARY_OPERATOR(symbol, op)                                                                              \
    template <expression A>                                                                                            \
    auto operator symbol(A&& a) {                                                                                      \
        return op(std::forward<A>(a));                                                                                 \
    }
#define SINTER_BINARY_OPERATOR(symbol, op)                                                                             \
    template <class A, class B>                                                                                        \
        requires operands<A, B>                                                                                        \
    auto operator symbol(A&& a, B&& b) {                                                                               \
        return op(std::forward<A>(a), std::forward<B>(b));                                                             \
    }
SINTER_UNARY_OPERATOR(-, negative)
SINTER_UNARY_OPERATOR(+, positive)
SINTER_UNARY_OPERATOR(!, logical_not)
SINTER_UNARY_OPERATOR(~, invert)
SINTER_BINARY_OPERATOR(+, add)
SINTER_BINARY_OPERATOR(-, subtract)
SINTER_BINARY_OPERATOR(*, multiply)
SINTER_BINARY_OPERATOR(/, divide)
SINTER_BINARY_OPERATOR(%, fmod)
SINTER_BINARY_OPERATOR(==, equal)
SINTER_BINARY_OPERATOR(!=, not_equal)
SINTER_BINARY_OPERATOR(<, less)
SINTER_BINARY_OPERATOR(<=, less_equal)
SINTER_BINARY_OPERATOR(>, greater)
SINTER_BINARY_OPERATOR(>=, greater_equal)
SINTER_BINARY_OPERATOR(&, bitwise_and)
SINTER_BINARY_OPERATOR(|, bitwise_or)
SINTER_BINARY_OPERATOR(^, bitwise_xor)
SINTER_BINARY_OPERATOR(&&, logical_and)
SINTER_BINARY_OPERATOR(||, logical_or)
SINTER_BINARY_OPERATOR(<<, left_shift)
SINTER_BINARY_OPERATOR(>>, right_shift)
#undef SINTER_UNARY_OPERATOR
#undef SINTER_BINARY_OPERATOR

} // namespace sinter

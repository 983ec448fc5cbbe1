// sinter/fuse/graph.hpp -- stage 3: what a kernel computes, as a graph of typed values: for back ends that generate source.
//
// The semantics that every user of a graph may rely on:
//  - A node's value has the node's type, after every operation: integers wrap in it, floating point rounds to it. An operation of
//    the table computes in the type of its operands, which all have the same one; only `convert` changes a type.
//  - Nodes are in order: operands come before what uses them, and evaluating all of them in order is right. Nodes have no effects.
//  - Equal nodes are one node: a subexpression written twice is computed once. Loads of equal inputs are equal.
//  - Numbers that the user may change from run to run are `scalar` nodes, arguments of the kernel; only numbers of a formula
//    are literals. So graphs do not change with values, sizes or strides.
//  - Folding is exact: literals are converted and selected by, and nothing else that IEEE 754 does not allow is simplified.
#pragma once

#include <bit>
#include <cstring>
#include <map>
#include <span>
#include <vector>

#include <sinter/expr/create.hpp>

namespace sinter::detail {

/// What a node is: a row of the table, or one of those that are not operations on elements.
enum class graph_op : std::uint8_t {
#define SINTER_OP(name, ...) name##_,
#include <sinter/expr/ops.def>
    load,     // element of input `slot`
    position, // the position of the element in generated input `slot`, int64
    scalar,   // argument number `number` of the kernel
    literal,  // the bits of a value
    argument, // operand `number` of a function, such as a reduction's combination
    convert,  // by sinter's rules for casts
    select,   // the second where the first is true, else the third
};

struct graph_node {
    graph_op op;
    dtype type;
    std::array<std::int32_t, 3> args{-1, -1, -1};
    std::uint64_t number = 0; // slot, number, or bits

    friend auto operator<=>(const graph_node&, const graph_node&) = default;
};

/// A graph while it is built and afterwards. Functions that add a node return its index.
class graph {
public:
    /// `same_as[k]`: the input that input k is equal to, itself or one before it.
    explicit graph(std::vector<int> same_as = {}) : same_as_(std::move(same_as)) {}

    int load(dtype type, int slot);
    int position(int slot);
    int scalar(dtype type);
    int literal(dtype type, std::uint64_t bits);
    int argument(dtype type, int number);
    /// An operation of the table whose operands have type `compute`. Operations that are formulas are expanded.
    int apply(graph_op op, dtype compute, std::span<const int> args);
    /// The node itself, without expanding it.
    int node(graph_op op, dtype type, std::span<const int> args);
    int convert(int value, dtype to);
    int select(int condition, int a, int b);

    const std::vector<graph_node>& nodes() const { return nodes_; }
    const graph_node& operator[](int k) const { return nodes_[static_cast<std::size_t>(k)]; }
    /// The types of the scalar arguments, in order.
    const std::vector<dtype>& scalars() const { return scalars_; }
    /// The inputs that are read, in order.
    std::vector<int> slots() const;

    int result = -1;

    /// The graph that is being built on this thread.
    static graph& current();
    class building {
    public:
        explicit building(graph& g);
        ~building();
        building(const building&) = delete;
        building& operator=(const building&) = delete;

    private:
        graph* before_;
    };

private:
    int add(const graph_node& n);
    std::vector<int> same_as_;
    std::vector<graph_node> nodes_;
    std::vector<dtype> scalars_;
    std::map<graph_node, int> index_;
};

/// The name of an operation: that of its row.
const char* name(graph_op op);

/// One line a node: "%3 = multiply float32 %1 %2".
std::string text(const graph& g);

// ---- values of a graph, with which bodies and formulas compute as they do with packets

struct graph_width {};
template <class T>
struct graph_value;
template <class T>
struct values_of<T, graph_width> : std::type_identity<graph_value<T>> {};

template <class T>
struct graph_value {
    using kernel_value_tag = void;
    using value_type = T;
    using width = graph_width;
    int id;

    static graph_value splat(T value) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &value, sizeof(T));
        return {graph::current().literal(dtype_of<T>(), bits)};
    }
};

template <class Row>
inline constexpr graph_op graph_op_of{};
#define SINTER_OP(op, ...)                                                                                             \
    template <>                                                                                                        \
    inline constexpr graph_op graph_op_of<op##_op> = graph_op::op##_;
#include <sinter/expr/ops.def>

/// Row applied to values of one type.
template <class Row, class T, std::same_as<graph_value<T>>... Rest>
auto apply(graph_value<T> first, Rest... rest) {
    const int ids[] = {first.id, rest.id...};
    return graph_value<typename table_op<Row>::template result<T>>{graph::current().apply(graph_op_of<Row>, dtype_of<T>(), ids)};
}

template <class To, class T>
graph_value<To> convert(graph_value<T> v) {
    return {graph::current().convert(v.id, dtype_of<To>())};
}

/// Operands of any types, converted to the common one as the operands of an expression are.
template <class Row, class... V>
auto apply_common(const V&... v) {
    using C = common_type<decltype(typed_as<V>())...>;
    return apply<Row>(as_kernel_value<C, graph_width>(v)...);
}

template <class A, class B>
auto select(graph_value<bool> condition, A a, B b) {
    using C = common_type<decltype(typed_as<A>()), decltype(typed_as<B>())>;
    return graph_value<C>{graph::current().select(condition.id, as_kernel_value<C, graph_width>(a).id, as_kernel_value<C, graph_width>(b).id)};
}

#define SINTER_GRAPH_OPERATOR(symbol, row)                                                                             \
    template <class A, class B>                                                                                        \
    auto operator symbol(graph_value<A> a, graph_value<B> b) {                                                         \
        return apply_common<row##_op>(a, b);                                                                           \
    }                                                                                                                  \
    template <class A, scalar B>                                                                                       \
    auto operator symbol(graph_value<A> a, B b) {                                                                      \
        return apply_common<row##_op>(a, b);                                                                           \
    }                                                                                                                  \
    template <scalar A, class B>                                                                                       \
    auto operator symbol(A a, graph_value<B> b) {                                                                      \
        return apply_common<row##_op>(a, b);                                                                           \
    }
SINTER_GRAPH_OPERATOR(+, add)
SINTER_GRAPH_OPERATOR(-, subtract)
SINTER_GRAPH_OPERATOR(*, multiply)
SINTER_GRAPH_OPERATOR(/, divide)
SINTER_GRAPH_OPERATOR(%, fmod)
SINTER_GRAPH_OPERATOR(==, equal)
SINTER_GRAPH_OPERATOR(!=, not_equal)
SINTER_GRAPH_OPERATOR(<, less)
SINTER_GRAPH_OPERATOR(<=, less_equal)
SINTER_GRAPH_OPERATOR(>, greater)
SINTER_GRAPH_OPERATOR(>=, greater_equal)
SINTER_GRAPH_OPERATOR(&, bitwise_and)
SINTER_GRAPH_OPERATOR(|, bitwise_or)
SINTER_GRAPH_OPERATOR(^, bitwise_xor)
SINTER_GRAPH_OPERATOR(<<, left_shift)
SINTER_GRAPH_OPERATOR(>>, right_shift)
#undef SINTER_GRAPH_OPERATOR

template <class T>
auto operator-(graph_value<T> a) {
    return apply<negative_op>(a);
}
template <class T>
auto operator~(graph_value<T> a) {
    return apply<invert_op>(a);
}
template <class T>
auto operator!(graph_value<T> a) {
    return apply<logical_not_op>(convert<bool>(a));
}

// The functions of the table: found where a formula or a user's function says exp(v).
#define SINTER_GRAPH_PARAMETERS_1 graph_value<T> a
#define SINTER_GRAPH_PARAMETERS_2 graph_value<T> a, graph_value<T> b
#define SINTER_GRAPH_PARAMETERS_3 graph_value<T> a, graph_value<T> b, graph_value<T> c
#define SINTER_GRAPH_ARGUMENTS_1 a
#define SINTER_GRAPH_ARGUMENTS_2 a, b
#define SINTER_GRAPH_ARGUMENTS_3 a, b, c
#define SINTER_OP(op, count, ...)                                                                                      \
    template <class T>                                                                                                 \
    auto op(SINTER_GRAPH_PARAMETERS_##count) {                                                                         \
        return apply<op##_op>(SINTER_GRAPH_ARGUMENTS_##count);                                                         \
    }
#include <sinter/expr/ops.def>
#undef SINTER_GRAPH_PARAMETERS_1
#undef SINTER_GRAPH_PARAMETERS_2
#undef SINTER_GRAPH_PARAMETERS_3
#undef SINTER_GRAPH_ARGUMENTS_1
#undef SINTER_GRAPH_ARGUMENTS_2
#undef SINTER_GRAPH_ARGUMENTS_3

} // namespace sinter::detail

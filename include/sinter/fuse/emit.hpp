// sinter/fuse/emit.hpp -- stage 3: a loop body written into a graph, for back ends that generate source.
//
// The body is the one that the CPU would run (fuse/lower.hpp), with the same inputs in the same slots. Two walks over it in
// one order: `emit` makes the graph, when a kernel is first needed; `write_scalars` collects the numbers that are its arguments,
// at every run.
#pragma once

#include <atomic>

#include <sinter/expr/reduce.hpp>
#include <sinter/fuse/graph.hpp>
#include <sinter/host/body.hpp>

namespace sinter::detail {

[[noreturn]] void throw_map_of_values();

/// Where scalars are written: 8 bytes each.
struct scalar_writer {
    std::uint64_t* to;
    template <class T>
    void operator()(T value) {
        *to = 0;
        std::memcpy(to++, &value, sizeof(T));
    }
};

template <class T>
graph_value<T> new_scalar() {
    return {graph::current().scalar(dtype_of<T>())};
}

// ---- leaves

template <class T, int Slot>
int emit(const load_body<T, Slot>&) {
    return graph::current().load(dtype_of<T>(), Slot);
}
template <class T, int Slot>
void write_scalars(const load_body<T, Slot>&, scalar_writer&) {}

template <class G, int Slot>
int emit(const generate_body<G, Slot>& b) {
    return std::apply(
        [](auto... p) {
            const graph_value<std::int64_t> position{graph::current().position(Slot)};
            const std::tuple scalars{new_scalar<decltype(p)>()...}; // in order
            return std::apply([&](auto... s) { return G::value(position, s...).id; }, scalars);
        },
        b.generator.parameters());
}
template <class G, int Slot>
void write_scalars(const generate_body<G, Slot>& b, scalar_writer& write) {
    std::apply([&](auto... p) { (write(p), ...); }, b.generator.parameters());
}

template <class T>
int emit(const constant_body<T>&) {
    return new_scalar<T>().id;
}
template <class T>
void write_scalars(const constant_body<T>& b, scalar_writer& write) {
    write(b.value);
}

// ---- operations

template <class Op, class Compute, class... Args>
int emit(const apply_body<Op, Compute, Args...>& b);
template <class Op, class Compute, class... Args>
void write_scalars(const apply_body<Op, Compute, Args...>& b, scalar_writer& write);

/// An operand as the operation wants it. A constant is converted before the kernel runs.
template <class To, class Body>
int emit_operand(const Body& b) {
    return graph::current().convert(emit(b), dtype_of<To>());
}
template <class To, class T>
int emit_operand(const constant_body<T>&) {
    return new_scalar<To>().id;
}
template <class To, class Body>
void write_operand(const Body& b, scalar_writer& write) {
    write_scalars(b, write);
}
template <class To, class T>
void write_operand(const constant_body<T>& b, scalar_writer& write) {
    write(static_cast<To>(b.value));
}

/// How the operation itself is written: rows of the table by name, all others here.
template <class Op>
struct emission {
    template <class Compute, class... V>
    static int emit(const Op& op, V... v) {
        return op.value(v...).id;
    }
    static void write(const Op&, scalar_writer&) {}
};
template <class Row>
struct emission<table_op<Row>> {
    template <class Compute, class... V>
    static int emit(const table_op<Row>&, V... v) {
        const int ids[] = {v.id...};
        return graph::current().apply(graph_op_of<Row>, dtype_of<Compute>(), ids);
    }
    static void write(const table_op<Row>&, scalar_writer&) {}
};
/// Whether the C++ integer is in the range of the type is known at the run: an argument like the integer itself.
template <class Row>
struct emission<scalar_comparison<Row>> {
    template <class Compute, class V>
    static int emit(const scalar_comparison<Row>&, V a, V b) {
        const auto inside = new_scalar<bool>();
        const auto otherwise = new_scalar<bool>();
        return select(inside, Row::value(a, b), otherwise).id;
    }
    static void write(const scalar_comparison<Row>& op, scalar_writer& write) {
        const bool first_greater = (op.scalar_is > 0) == op.scalar_first;
        write(op.scalar_is == 0);
        write(static_cast<bool>(Row::value(static_cast<int>(first_greater), static_cast<int>(!first_greater))));
    }
};
template <class F, class... T>
struct emission<map_op<F, T...>> {
    template <class Compute, class... V>
    static int emit([[maybe_unused]] const map_op<F, T...>& op, V... v) {
        if constexpr (map_op<F, T...>::of_packets && std::is_invocable_v<const F&, V...>)
            return op.function(v...).id;
        else
            throw_map_of_values();
    }
    static void write(const map_op<F, T...>&, scalar_writer&) {}
};

template <class Op, class Compute, class... Args>
int emit(const apply_body<Op, Compute, Args...>& b) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
        const std::tuple values{graph_value<typename Op::template operand_as<Compute, I, typename Args::value_type>>{
            emit_operand<typename Op::template operand_as<Compute, I, typename Args::value_type>>(std::get<I>(b.args))}...};
        return std::apply([&](auto... v) { return emission<Op>::template emit<Compute>(b.op, v...); }, values);
    }(std::index_sequence_for<Args...>{});
}
template <class Op, class Compute, class... Args>
void write_scalars(const apply_body<Op, Compute, Args...>& b, scalar_writer& write) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (write_operand<typename Op::template operand_as<Compute, I, typename Args::value_type>>(std::get<I>(b.args), write), ...);
    }(std::index_sequence_for<Args...>{});
    emission<Op>::write(b.op, write);
}

// ---- what a back end is given

/// Functions with a state may give another graph at each run.
template <class Body>
inline constexpr bool has_state = false;
template <class Op, class Compute, class... Args>
inline constexpr bool has_state<apply_body<Op, Compute, Args...>> = (has_state<Args> || ...);
template <class F, class... T, class Compute, class... Args>
inline constexpr bool has_state<apply_body<map_op<F, T...>, Compute, Args...>> = !std::is_empty_v<F> || (has_state<Args> || ...);

/// How many scalars a body has.
template <class Body>
inline constexpr int scalar_count = 0;
template <class G, int Slot>
inline constexpr int scalar_count<generate_body<G, Slot>> = std::tuple_size_v<decltype(std::declval<G>().parameters())>;
template <class T>
inline constexpr int scalar_count<constant_body<T>> = 1;
template <class Op>
inline constexpr int own_scalars = 0;
template <class Row>
inline constexpr int own_scalars<scalar_comparison<Row>> = 2;
template <class Op, class Compute, class... Args>
inline constexpr int scalar_count<apply_body<Op, Compute, Args...>> = (own_scalars<Op> + ... + scalar_count<Args>);

/// The combination of a reduction, as a graph of two arguments, and its types.
struct reduction_source {
    const char* name;
    dtype value, accumulator, result;
    std::uint64_t identity; // bits
    bool finds_position;    // `combine` then says whether argument 1 replaces argument 0
    void (*combine)(graph& g);
};

/// A body for back ends that generate source: one object for each type of body, which also keeps the kernels made from it.
struct kernel_source {
    void (*emit)(const void* body, graph& g);
    void (*write_scalars)(const void* body, std::uint64_t* to);
    int slots;
    int scalars;
    dtype result;
    bool has_state;
    const reduction_source* reduction; // null: elementwise
    std::atomic<void*> kernels{nullptr};
};

template <class Body>
void emit_body(const void* body, graph& g) {
    const graph::building on(g);
    g.result = emit(*static_cast<const Body*>(body));
}
template <class Body>
void write_body_scalars(const void* body, std::uint64_t* to) {
    scalar_writer write{to};
    write_scalars(*static_cast<const Body*>(body), write);
}

template <int Slots, class Body>
inline constinit kernel_source loop_source{emit_body<Body>, write_body_scalars<Body>, Slots, scalar_count<Body>,
                                           dtype_of<typename Body::value_type>(), has_state<Body>, nullptr};

template <class R, class A>
void emit_combination(graph& g) {
    const graph::building on(g);
    const graph_value<A> a{g.argument(dtype_of<A>(), 0)}, b{g.argument(dtype_of<A>(), 1)};
    if constexpr (R::finds_position)
        g.result = R::replaces(b, a).id;
    else
        g.result = R::combine(a, b).id;
}
template <class A>
constexpr std::uint64_t bits_of(A value) {
    if constexpr (std::is_same_v<A, float>)
        return std::bit_cast<std::uint32_t>(value);
    else if constexpr (std::is_same_v<A, double>)
        return std::bit_cast<std::uint64_t>(value);
    else
        return static_cast<std::uint64_t>(value);
}
template <class R, class T, class A = typename R::template accumulator<T>>
inline constexpr reduction_source combination_source{R::name, dtype_of<T>(), dtype_of<A>(), dtype_of<typename R::template result<T>>(),
                                                     bits_of(R::template identity<A>), R::finds_position, emit_combination<R, A>};

template <int Slots, class R, class Body>
inline constinit kernel_source reduce_source{emit_body<Body>, write_body_scalars<Body>, Slots, scalar_count<Body>,
                                             dtype_of<typename R::template result<typename Body::value_type>>(), has_state<Body>,
                                             &combination_source<R, typename Body::value_type>};

} // namespace sinter::detail

// sinter/fuse/split.hpp -- stage 2: takes out of an expression what cannot join one kernel: evaluates it, and puts a tensor there.
//
// Barriers are nodes with `is_barrier`: reductions and contractions. fuse/eval.hpp says how each is evaluated.
#pragma once

#include <sinter/expr/contract.hpp>
#include <sinter/expr/create.hpp>
#include <sinter/expr/reduce.hpp>
#include <sinter/expr/view.hpp>

namespace sinter::detail {

/// How to rebuild a node of type E with its operands replaced. Leaves have no operands.
template <class E>
struct structure {
    static constexpr bool is_leaf = true;
};

template <class Op, class Compute, class... Args>
struct structure<elementwise<Op, Compute, Args...>> {
    using node = elementwise<Op, Compute, Args...>;
    static constexpr bool is_leaf = false;

    template <template <class> class Test>
    static constexpr bool any_operand = (Test<Args>::value || ...);

    template <class F>
    static auto with_operands(const node& e, F f) {
        return std::apply(
            [&](const auto&... a) { return elementwise<Op, Compute, std::remove_cvref_t<decltype(f(a))>...>(e.op, f(a)...); }, e.args);
    }
    template <class F>
    static void for_operands(const node& e, F f) {
        std::apply([&](const auto&... a) { (f(a), ...); }, e.args);
    }
};

template <class E, int N>
struct structure<view<E, N>> {
    static constexpr bool is_leaf = false;
    template <template <class> class Test>
    static constexpr bool any_operand = Test<E>::value;

    template <class F>
    static auto with_operands(const view<E, N>& e, F f) {
        return view<std::remove_cvref_t<decltype(f(e.operand))>, N>{{}, f(e.operand), e.extents, e.map};
    }
    template <class F>
    static void for_operands(const view<E, N>& e, F f) {
        f(e.operand);
    }
};

template <class E, int N>
struct structure<reshaped<E, N>> {
    static constexpr bool is_leaf = false;
    template <template <class> class Test>
    static constexpr bool any_operand = Test<E>::value;

    template <class F>
    static auto with_operands(const reshaped<E, N>& e, F f) {
        return reshaped<std::remove_cvref_t<decltype(f(e.operand))>, N>{{}, f(e.operand), e.extents};
    }
    template <class F>
    static void for_operands(const reshaped<E, N>& e, F f) {
        f(e.operand);
    }
};

template <class R, class E, reduced_axes Axes>
struct structure<reduction<R, E, Axes>> {
    static constexpr bool is_leaf = false;
    template <template <class> class Test>
    static constexpr bool any_operand = Test<E>::value;

    template <class F>
    static void for_operands(const reduction<R, E, Axes>& e, F f) {
        f(e.operand);
    }
};

template <class A, class B, bool Row, bool Column>
struct structure<product<A, B, Row, Column>> {
    static constexpr bool is_leaf = false;
    template <template <class> class Test>
    static constexpr bool any_operand = Test<A>::value || Test<B>::value;

    template <class F>
    static void for_operands(const product<A, B, Row, Column>& e, F f) {
        f(e.a);
        f(e.b);
    }
};

template <class E>
concept barrier = requires { requires E::is_barrier; };

/// Whether something in E must be evaluated before the kernel.
template <class E>
struct has_barrier {
    static constexpr bool value = false;
};
template <class E>
    requires(!structure<E>::is_leaf)
struct has_barrier<E> {
    static constexpr bool value = barrier<E> || structure<E>::template any_operand<has_barrier>;
};

/// e with tensors in place of its barriers.
template <class E>
auto split(const E& e) {
    if constexpr (barrier<E>)
        return evaluate(e);
    else if constexpr (!has_barrier<E>::value)
        return e;
    else
        return structure<E>::with_operands(e, [](const auto& operand) { return split(operand); });
}

/// Reshapes of other things than leaves, which may not be expressible by strides.
template <class E>
inline constexpr bool is_reshape = false;
template <class E, int N>
inline constexpr bool is_reshape<reshaped<E, N>> = !structure<E>::is_leaf;

/// Whether E contains one.
template <class E>
struct has_reshape {
    static constexpr bool value = false;
};
template <class E>
    requires(!structure<E>::is_leaf)
struct has_reshape<E> {
    static constexpr bool value = is_reshape<E> || structure<E>::template any_operand<has_reshape>;
};

/// e with tensors in place of what its reshapes reshape.
template <class E>
auto evaluate_reshapes(const E& e) {
    if constexpr (!has_reshape<E>::value)
        return e;
    else if constexpr (is_reshape<E>)
        return structure<E>::with_operands(e, [](const auto& operand) {
            return tensor<value_type<decltype(operand)>, rank<decltype(operand)>>(operand);
        });
    else
        return structure<E>::with_operands(e, [](const auto& operand) { return evaluate_reshapes(operand); });
}

/// How often e holds a buffer.
template <class E>
std::int64_t shares_of(const E& e, const buffer& b) {
    if constexpr (structure<E>::is_leaf) {
        if constexpr (requires { e.storage(); })
            return e.storage() == b;
        else
            return 0;
    } else {
        std::int64_t n = 0;
        structure<E>::for_operands(e, [&](const auto& operand) { n += shares_of(operand, b); });
        return n;
    }
}

} // namespace sinter::detail

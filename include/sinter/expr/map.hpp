// sinter/expr/map.hpp -- stage 1: elementwise operations that are not rows of the table: cast, where, and a user's own function.
#pragma once

#include <sinter/expr/elementwise.hpp>

namespace sinter {
namespace detail {

template <class To>
struct cast_op {
    static constexpr const char* name = "cast";
    static constexpr int cost = 1;
    static constexpr bool exact = false;
    template <class Compute>
    static constexpr std::size_t widest = sizeof(Compute);
    template <class>
    using result = To;
    template <class, std::size_t, class>
    using operand_as = To;
    template <class A>
    [[gnu::always_inline]] static auto value(A a) {
        return a;
    }
};

struct where_op {
    static constexpr const char* name = "where";
    static constexpr int cost = 1;
    static constexpr bool exact = false;
    template <class Compute>
    static constexpr std::size_t widest = sizeof(Compute);
    template <class Compute>
    using result = Compute;
    template <class Compute, std::size_t I, class>
    using operand_as = std::conditional_t<I == 0, bool, Compute>;
    template <class C, class A, class B>
    [[gnu::always_inline]] static auto value(C condition, A a, B b) {
        return select(condition, a, b);
    }
};

/// A function of packets (a generic lambda), or else of single values.
template <class F, class... T>
struct map_op {
    static constexpr const char* name = "map";
    static constexpr int cost = 20;
    using model = width<isa::v1, 2>;
    static constexpr bool of_packets = std::is_invocable_v<const F&, packet_of<T, model>...>;
    static constexpr bool of_values = !std::disjunction_v<std::bool_constant<of_packets>, std::negation<std::is_invocable<const F&, T...>>>;
    /// A function of values must see no value that is not an element: it may use it as an index.
    static constexpr bool exact = !of_packets;
    template <class Compute>
    static constexpr std::size_t widest = sizeof(Compute);
    static_assert(of_packets || of_values, "sinter: map: the function cannot be called with one element of each operand");

    template <class R>
    struct element_of : canonical<R> {};
    template <kernel_value R>
    struct element_of<R> : std::type_identity<typename R::value_type> {};
    static constexpr auto result_of() {
        if constexpr (of_packets)
            return element_of<std::invoke_result_t<const F&, packet_of<T, model>...>>{};
        else
            return element_of<std::invoke_result_t<const F&, T...>>{};
    }
    using result_type = typename decltype(result_of())::type;
    template <class>
    using result = result_type;
    template <class, std::size_t, class Own>
    using operand_as = Own;

    F function;

    /// A user's function need not be inlined, and then has neither the target of the kernel nor its convention for passing
    /// wide packets. So it is called with packets of 16 bytes, which are passed alike everywhere, or with single values.
    template <class A, class... Rest>
    [[gnu::always_inline]] auto value(A a, Rest... rest) const {
        using W = typename A::width;
        result_type to[W::lanes];
        call<W>(to, spilled<A>(a), spilled<Rest>(rest)...);
        return packet_of<result_type, W>::load(to);
    }

private:
    static constexpr int narrow_lanes = static_cast<int>(16 / std::max({sizeof(result_type), sizeof(T)...}));

    template <class V>
    struct spilled {
        using value_type = typename V::value_type;
        value_type value[V::width::lanes];
        [[gnu::always_inline]] explicit spilled(V v) {
            if constexpr (is_mask<V>)
                store(resize<1>(v), value);
            else
                store(v, value);
        }
    };
    template <class W, class... S>
    [[gnu::always_inline]] void call(result_type* to, const S&... s) const {
        if constexpr (of_packets) {
            using narrow = width<isa::v1, std::min(narrow_lanes, W::lanes)>;
            for (int i = 0; i < W::lanes; i += narrow::lanes) {
                const auto r = function(packet_of<typename S::value_type, narrow>::load(s.value + i)...);
                if constexpr (is_mask<std::remove_cvref_t<decltype(r)>>)
                    store(resize<1>(r), to + i);
                else
                    store(r, to + i);
            }
        } else {
            for (int i = 0; i < W::lanes; ++i) to[i] = static_cast<result_type>(function(s.value[i]...));
        }
    }
};

} // namespace detail

/// e converted to T: floats to integers truncate and saturate, NaN gives 0; integers wrap; anything but 0 is true.
template <element T, expression E>
auto cast(E&& e) {
    using node = std::remove_cvref_t<E>;
    return detail::elementwise<detail::cast_op<T>, T, node>({}, std::forward<E>(e));
}

/// a where the condition is true, else b; all three broadcast.
template <class C, class A, class B>
    requires operands<C, A, B>
auto where(C&& condition, A&& a, B&& b) {
    using compute = detail::common_type<detail::node_of<A>, detail::node_of<B>>;
    return detail::elementwise<detail::where_op, compute, detail::node_of<C>, detail::node_of<A>, detail::node_of<B>>(
        {}, detail::as_node(std::forward<C>(condition)), detail::as_node(std::forward<A>(a)), detail::as_node(std::forward<B>(b)));
}
/// Inside map(): a where the condition is true, else b.
template <class C, class A, class B>
    requires(detail::kernel_value<C> && (detail::kernel_value<A> || scalar<A>) && (detail::kernel_value<B> || scalar<B>))
[[gnu::always_inline]] inline auto where(const C& condition, const A& a, const B& b) {
    using T = detail::common_type<decltype(detail::typed_as<A>()), decltype(detail::typed_as<B>())>;
    using W = typename C::width;
    return select(detail::as_kernel_value<bool, W>(condition), detail::as_kernel_value<T, W>(a), detail::as_kernel_value<T, W>(b));
}
/// Inside map(): the values converted to T.
template <element T, detail::kernel_value V>
[[gnu::always_inline]] inline auto cast(const V& v) {
    return detail::as_kernel_value<T, typename V::width>(v);
}

namespace detail {

/// An operand of map: a scalar takes the type that the operands have together, so that it has one inside too.
template <class C, class A>
decltype(auto) map_operand(A&& a) {
    if constexpr (scalar<std::remove_cvref_t<A>>)
        return constant<C>(static_cast<C>(a));
    else
        return std::forward<A>(a);
}

} // namespace detail

/// f applied to the elements of its operands, which broadcast. A generic function, map([](auto v) { return exp(v) * v; }, x),
/// is called with packets and may use every function of the table; any other is called element by element.
template <class F, class... A>
    requires operands<A...>
auto map(F f, A&&... a) {
    using C = detail::common_type<detail::node_of<A>...>;
    return [&]<class... N>(N&&... nodes) {
        using op = detail::map_op<F, value_type<N>...>;
        return detail::elementwise<op, typename op::result_type, std::remove_cvref_t<N>...>(op{std::move(f)}, std::forward<N>(nodes)...);
    }(detail::map_operand<C>(std::forward<A>(a))...);
}

} // namespace sinter

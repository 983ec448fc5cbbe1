// sinter/expr/view.hpp -- stage 1: views: slices, transposes, broadcasts and reshapes, which only change how indices are read.
#pragma once

#include <limits>

#include <sinter/core/tensor.hpp>
#include <sinter/expr/elementwise.hpp>

namespace sinter {

/// A whole axis, in a slice; every axis, in a reduction; and itself the reduction all(e): whether no element is 0.
struct all_type {
    template <expression E, class... Options>
    auto operator()(E&& e, Options... options) const; // expr/reduce.hpp
};
inline constexpr all_type all{};

/// A new axis of extent 1, in a slice.
struct newaxis_type {};
inline constexpr newaxis_type newaxis{};

/// Indices from, from + step, … before `to`, as NumPy's from:to:step: negative bounds count from the end, bounds beyond the
/// axis are clipped, and a negative step runs backwards.
struct range {
    static constexpr std::int64_t open = std::numeric_limits<std::int64_t>::max();
    std::int64_t from = 0, to = open, step = 1;

    constexpr range(std::int64_t f, std::int64_t t, std::int64_t s = 1) : from(f), to(t), step(s) {}
    /// A bound that is left out: range(open, open, -1) reverses.
    constexpr range() = default;
};
inline constexpr std::int64_t open = range::open;

namespace detail {

/// Where the axes of a view come from: axis j of the operand is read at start[j] + step[j] * (index of view axis from[j]).
template <int M>
struct index_map {
    std::array<std::int64_t, M> start{}, step{};
    std::array<int, M> from{}; // -1: always at `start`
    friend bool operator==(const index_map&, const index_map&) = default;
};

/// An expression seen through an affine map of indices.
template <class E, int N>
struct view : expression_base {
    using value_type = typename E::value_type;
    static constexpr int rank = N;

    E operand;
    sinter::shape<N> extents;
    index_map<E::rank> map;

    const sinter::shape<N>& shape() const { return extents; }
};

/// The elements of an expression in row-major order, in another shape.
template <class E, int N>
struct reshaped : expression_base {
    using value_type = typename E::value_type;
    static constexpr int rank = N;

    E operand;
    sinter::shape<N> extents;

    const sinter::shape<N>& shape() const { return extents; }
};

struct clipped_range {
    std::int64_t start, count, step;
};
/// The positions that r selects along an axis. Throws index_error for a step of 0.
clipped_range clip(const range& r, std::int64_t extent);

template <class I>
inline constexpr bool makes_axis = !is_index<I>;
template <class I>
inline constexpr bool takes_axis = !std::is_same_v<std::remove_cvref_t<I>, newaxis_type>;
template <class I>
concept slice_index = is_index<I> || is_one_of<std::remove_cvref_t<I>, range, all_type, newaxis_type>;

template <int M, class... I>
struct sliced {
    static constexpr int taken = (0 + ... + static_cast<int>(takes_axis<I>));
    static_assert((slice_index<I> && ...), "sinter: an index is an integer, range(from, to, step), all or newaxis");
    static_assert(taken <= M, "sinter: more indices than the expression has axes");
    static constexpr int rank = M - taken + (0 + ... + static_cast<int>(takes_axis<I> && makes_axis<I>)) +
                                (0 + ... + static_cast<int>(!takes_axis<I>));
    static_assert(rank <= max_rank, "sinter: the rank of a tensor is at most 8");

    sinter::shape<rank> extents{};
    index_map<M> map;

    sliced(const sinter::shape<M>& operand, const I&... index) {
        (add(operand, index), ...);
        while (in < M) add(operand, all);
    }

private:
    template <class X>
    void add(const sinter::shape<M>& operand, const X& x) {
        if constexpr (!takes_axis<X>) {
            extents[out++] = 1;
        } else {
            const std::int64_t extent = operand[in];
            clipped_range r{0, extent, 1};
            if constexpr (is_index<X>)
                r = {checked_index(static_cast<std::int64_t>(x), static_cast<int>(in), extent), 1, 0};
            else if constexpr (std::is_same_v<X, range>)
                r = clip(x, extent);
            map.start[in] = r.start;
            map.step[in] = r.step;
            map.from[in] = makes_axis<X> ? static_cast<int>(out) : -1;
            if constexpr (makes_axis<X>) extents[out++] = r.count;
            ++in;
        }
    }
    std::size_t in = 0, out = 0;
};

template <class E, class... Index>
auto slice(E&& e, const Index&... index) {
    using node = std::remove_cvref_t<E>;
    const sliced<node::rank, Index...> s(e.shape(), index...);
    return view<node, decltype(s)::rank>{{}, std::forward<E>(e), s.extents, s.map};
}

/// A view whose axis k is axis order[k] of e, where order[k] is -1 for a new axis of extent 1.
template <class E, std::size_t N>
auto reordered(E&& e, const std::array<int, N>& order) {
    using node = std::remove_cvref_t<E>;
    view<node, static_cast<int>(N)> r{{}, std::forward<E>(e), {}, {}};
    for (auto& f : r.map.from) f = -1;
    for (std::size_t k = 0; k < N; ++k) {
        if (order[k] < 0) {
            r.extents[k] = 1;
        } else {
            r.extents[k] = r.operand.shape()[order[k]];
            r.map.from[order[k]] = static_cast<int>(k);
            r.map.step[order[k]] = 1;
        }
    }
    return r;
}

/// The positions of -1 and of the axes that are not in Axes, in an expression that gains len(Axes) axes.
template <int N, int... Axes>
consteval auto expanded_order() {
    constexpr int rank = N + static_cast<int>(sizeof...(Axes));
    static_assert(((Axes >= -rank && Axes < rank) && ...), "sinter: expand_dims: an axis is outside the result's rank");
    std::array<int, rank> r{};
    ((r[normal_axis(Axes, rank)] = -1), ...);
    int next = 0;
    for (auto& axis : r)
        if (axis >= 0) axis = next++;
    return r;
}
template <int N, int... Axes>
consteval auto squeezed_order() {
    static_assert(((Axes >= -N && Axes < N) && ...), "sinter: squeeze: an axis is outside the expression's rank");
    std::array<int, N - static_cast<int>(sizeof...(Axes))> r{};
    int next = 0;
    for (int axis = 0; axis < N; ++axis)
        if (((axis != normal_axis(Axes, N)) && ...)) r[next++] = axis;
    return r;
}

[[noreturn]] void throw_squeeze(int axis, extents shape);
[[noreturn]] void throw_reshape(extents from, extents to);

/// `wanted` with an extent of -1 replaced by what makes the counts equal. Throws shape_error.
void resolve_reshape(extents from, std::span<std::int64_t> wanted);

} // namespace detail

/// A slice of any expression, lazily: slice(e, 1, range(0, 5), all). Throws index_error.
template <expression E, class... Index>
auto slice(E&& e, const Index&... index) {
    return detail::slice(std::forward<E>(e), index...);
}

/// The axes in reverse order.
template <expression E>
auto transpose(E&& e) {
    std::array<int, rank<E>> order{};
    for (int k = 0; k < rank<E>; ++k) order[k] = rank<E> - 1 - k;
    return detail::reordered(std::forward<E>(e), order);
}

/// Axis k of the result is axis Order[k] of e: permute<1, 0, 2>(e).
template <int... Order, expression E>
auto permute(E&& e) {
    constexpr int n = rank<E>;
    static_assert(sizeof...(Order) == n, "sinter: permute names every axis once");
    constexpr unsigned seen = (0u | ... | (1u << detail::normal_axis(Order, n)));
    static_assert(((Order >= -n && Order < n) && ...) && seen == (1u << n) - 1, "sinter: permute names every axis once");
    return detail::reordered(std::forward<E>(e), std::array<int, n>{detail::normal_axis(Order, n)...});
}

/// New axes of extent 1, at the given positions of the result.
template <int... Axes, expression E>
auto expand_dims(E&& e) {
    return detail::reordered(std::forward<E>(e), detail::expanded_order<rank<E>, Axes...>());
}

/// Drops axes of extent 1. Throws shape_error when an extent is another.
template <int... Axes, expression E>
auto squeeze(E&& e) {
    const auto shape = e.shape();
    ((shape[detail::normal_axis(Axes, rank<E>)] == 1 ? void() : detail::throw_squeeze(Axes, shape)), ...);
    return detail::reordered(std::forward<E>(e), detail::squeezed_order<rank<E>, Axes...>());
}

/// e repeated along axes of extent 1 and along new leading axes, until it has `shape`. Throws shape_error.
template <expression E, std::size_t N>
auto broadcast_to(E&& e, const std::array<std::int64_t, N>& shape) {
    static_assert(static_cast<int>(N) >= rank<E>, "sinter: broadcast_to: the shape has fewer axes than the expression");
    if (detail::broadcast_shapes("broadcast_to", e.shape(), shape) != shape)
        detail::throw_no_broadcast("broadcast_to", e.shape(), shape);
    using node = std::remove_cvref_t<E>;
    detail::view<node, static_cast<int>(N)> r{{}, std::forward<E>(e), shape, {}};
    for (std::size_t j = 0; j < node::rank; ++j) {
        const std::size_t k = j + N - node::rank;
        r.map.from[j] = static_cast<int>(k);
        r.map.step[j] = r.operand.shape()[j] == 1 ? 0 : 1;
    }
    return r;
}

/// The same elements in row-major order, in another shape; one extent may be -1. Throws shape_error when counts differ.
template <expression E, std::size_t N>
auto reshape(E&& e, std::array<std::int64_t, N> shape) {
    detail::resolve_reshape(e.shape(), shape);
    return detail::reshaped<std::remove_cvref_t<E>, static_cast<int>(N)>{{}, std::forward<E>(e), shape};
}
template <expression E, std::size_t N>
auto reshape(E&& e, const std::int64_t (&shape)[N]) {
    return reshape(std::forward<E>(e), std::to_array(shape));
}

/// All elements along one axis.
template <expression E>
auto ravel(E&& e) {
    return reshape(std::forward<E>(e), {-1});
}

/// e with the order along one axis reversed.
template <int Axis, expression E>
auto flip(E&& e) {
    constexpr int n = rank<E>;
    static_assert(Axis >= -n && Axis < n, "sinter: flip: the axis is outside the expression's rank");
    constexpr int a = detail::normal_axis(Axis, n);
    std::array<int, n> order{};
    for (int k = 0; k < n; ++k) order[k] = k;
    auto r = detail::reordered(std::forward<E>(e), order);
    r.map.start[a] = r.extents[a] == 0 ? 0 : r.extents[a] - 1;
    r.map.step[a] = -1;
    return r;
}

} // namespace sinter

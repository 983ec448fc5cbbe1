// sinter/expr/create.hpp -- stage 1: expressions without operands: zeros, full, arange, linspace, eye, one_hot.
//
// They hold no memory and fuse with whatever uses them. A generator computes an element from its position in row-major
// order and from its parameters; its `value` is written once, for packets of positions on the CPU and for graph nodes alike.
#pragma once

#include <cmath>
#include <cstring>

#include <sinter/expr/map.hpp>
#include <sinter/expr/view.hpp>

namespace sinter {
namespace detail {

/// Elements that a generator computes from their positions.
template <class Generator, int N>
struct generated : expression_base {
    using value_type = typename Generator::value_type;
    static constexpr int rank = N;

    Generator generator;
    sinter::shape<N> extents;

    const sinter::shape<N>& shape() const { return extents; }
};

template <class Generator, std::size_t N>
generated<Generator, static_cast<int>(N)> generate(Generator g, const std::array<std::int64_t, N>& shape) {
    element_count(shape, sizeof(typename Generator::value_type));
    return {{}, g, shape};
}

template <class T>
struct fill_generator {
    using value_type = T;
    static constexpr int cost = 0;
    T fill;
    friend bool operator==(const fill_generator&, const fill_generator&) = default;
};

/// from + position * step, in double for floating-point types (and rounded once), wrapping for integers.
template <class T>
struct arange_generator {
    using value_type = T;
    using computed = std::conditional_t<std::is_floating_point_v<T>, double, std::int64_t>;
    static constexpr int cost = 3;
    computed from, step;

    auto parameters() const { return std::tuple(from, step); }
    template <class P, class V>
    [[gnu::always_inline]] static auto value(P position, V from, V step) {
        return convert<T>(convert<computed>(position) * step + from);
    }
    friend bool operator==(const arange_generator&, const arange_generator&) = default;
};

/// n values from `from` to `to`: the last is `to` exactly.
template <class T>
struct linspace_generator {
    using value_type = T;
    static constexpr int cost = 5;
    double from, step, to;
    std::int64_t last;

    auto parameters() const { return std::tuple(from, step, to, last); }
    template <class P, class V, class L>
    [[gnu::always_inline]] static auto value(P position, V from, V step, V to, L last) {
        const auto even = convert<double>(position) * step + from;
        return convert<T>(select(position == last, to, even));
    }
    friend bool operator==(const linspace_generator&, const linspace_generator&) = default;
};

template <class... I>
concept index_pack = (is_index<I> && ...) && sizeof...(I) <= max_rank;

template <class... I>
sinter::shape<sizeof...(I)> shape_from(I... extents) {
    return {static_cast<std::int64_t>(extents)...};
}

std::int64_t arange_count(double from, double to, double step);

} // namespace detail

/// A value repeated: full<float>(0.5f, n, m).
template <element T, class... I>
    requires detail::index_pack<I...>
auto full(T value, I... extents) {
    return detail::generate(detail::fill_generator<T>{value}, detail::shape_from(extents...));
}
template <element T, std::size_t N>
auto full(T value, const std::array<std::int64_t, N>& shape) {
    return detail::generate(detail::fill_generator<T>{value}, shape);
}

template <element T, class... I>
    requires detail::index_pack<I...>
auto zeros(I... extents) {
    return full<T>(T(0), extents...);
}
template <element T, std::size_t N>
auto zeros(const std::array<std::int64_t, N>& shape) {
    return full<T>(T(0), shape);
}
template <element T, class... I>
    requires detail::index_pack<I...>
auto ones(I... extents) {
    return full<T>(T(1), extents...);
}
template <element T, std::size_t N>
auto ones(const std::array<std::int64_t, N>& shape) {
    return full<T>(T(1), shape);
}

/// A tensor whose elements have no defined values yet.
template <element T, class... I>
    requires detail::index_pack<I...>
auto empty(I... extents) {
    return tensor<T, static_cast<int>(sizeof...(I))>(detail::shape_from(extents...));
}
template <element T, std::size_t N>
auto empty(const std::array<std::int64_t, N>& shape) {
    return tensor<T, static_cast<int>(N)>(shape);
}

/// A copy of shape's count of values at `values`.
template <element T, std::size_t N>
auto from(const T* values, const std::array<std::int64_t, N>& shape) {
    tensor<T, static_cast<int>(N)> r(shape);
    if (r.size() > 0) std::memcpy(r.mutable_data(), values, static_cast<std::size_t>(r.size()) * sizeof(T));
    return r;
}

/// The values at `values` themselves, row-major: not copied. deleter(values) runs when the last tensor lets go.
/// The memory must stay as it is while other expressions hold it; a write through a tensor that shares it copies first.
template <element T, std::size_t N, class Deleter>
auto wrap(T* values, const std::array<std::int64_t, N>& shape, Deleter deleter) {
    const auto bytes = static_cast<std::size_t>(detail::element_count(shape, sizeof(T))) * sizeof(T);
    return tensor<T, static_cast<int>(N)>(shape, detail::buffer(values, bytes, [deleter](void* p) { deleter(static_cast<T*>(p)); }));
}

/// from, from + step, … before `to`. Throws shape_error for a step of 0 or a count beyond 64 bits.
template <element T, scalar From, scalar To, scalar Step = int>
auto arange(From from, To to, Step step = 1) {
    using C = typename detail::arange_generator<T>::computed;
    const std::int64_t n = detail::arange_count(static_cast<double>(from), static_cast<double>(to), static_cast<double>(step));
    return detail::generate(detail::arange_generator<T>{static_cast<C>(from), static_cast<C>(step)}, sinter::shape<1>{n});
}
/// 0, 1, …, n - 1.
template <element T, scalar N>
auto arange(N n) {
    return arange<T>(N(0), n);
}

/// n evenly spaced values; both ends included. Throws shape_error when n is negative.
template <element T>
auto linspace(double from, double to, std::int64_t n) {
    const double step = n > 1 ? (to - from) / static_cast<double>(n - 1) : 0;
    return detail::generate(detail::linspace_generator<T>{from, step, to, n > 1 ? n - 1 : -1}, sinter::shape<1>{n});
}

/// Ones on the main diagonal, zeros elsewhere: (n, m), m = n by default.
template <element T>
auto eye(std::int64_t n, std::int64_t m) {
    return cast<T>(expand_dims<1>(arange<std::int64_t>(n)) == arange<std::int64_t>(m));
}
template <element T>
auto eye(std::int64_t n) {
    return eye<T>(n, n);
}

/// A new last axis of extent `depth`: 1 at the position that the integer says, else 0. An integer outside gives zeros.
template <element T, expression E>
auto one_hot(E&& indices, std::int64_t depth) {
    static_assert(detail::kind_of<value_type<E>>() == detail::kind::integer, "sinter: one_hot takes integers");
    return cast<T>(expand_dims<-1>(std::forward<E>(indices)) == arange<std::int64_t>(depth));
}

} // namespace sinter

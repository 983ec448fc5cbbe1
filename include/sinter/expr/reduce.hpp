// sinter/expr/reduce.hpp -- stage 1: reductions over compile-time axes: sum, max, argmin, mean, …
//
// What is reduced is computed in the same pass: sum(square(x - y)) reads x and y once and stores nothing in between.
#pragma once

#include <sinter/expr/map.hpp>
#include <sinter/expr/view.hpp>

namespace sinter {

/// Axes of a reduction, negative ones counted from the end: sum(e, axis<0, -1>).
template <int... Axes>
struct axis_type {};
template <int... Axes>
inline constexpr axis_type<Axes...> axis{};

/// Keeps reduced axes with extent 1, so that the result broadcasts with what was reduced.
struct keepdims_type {};
inline constexpr keepdims_type keepdims{};

/// var and stddev divide by the count less this: ddof{1} for the unbiased variance of a sample.
struct ddof {
    std::int64_t less = 0;
};

namespace detail {

template <class T>
using not_bool = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
template <class T>
inline constexpr T highest = std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
template <class T>
inline constexpr T lowest = std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::min();

// THE TABLE of reductions.
//   name          of the public function
//   accumulator   what values of type T are combined in
//   result        the type of the result
//   identity      the accumulator of nothing, of type A; what has `no_empty` refuses to reduce nothing
//   combination   of two accumulators a and b
#define SINTER_REDUCTIONS                                                                                              \
    SINTER_REDUCTION(sum,  accumulated<T>, accumulated<T>, A(0),       may_be_empty, a + b)                            \
    SINTER_REDUCTION(prod, accumulated<T>, accumulated<T>, A(1),       may_be_empty, a * b)                            \
    SINTER_REDUCTION(min,  not_bool<T>,    T,              highest<A>, no_empty,     minimum(a, b))                    \
    SINTER_REDUCTION(max,  not_bool<T>,    T,              lowest<A>,  no_empty,     maximum(a, b))                    \
    SINTER_REDUCTION(all,  std::uint8_t,   bool,           A(1),       may_be_empty, a & b)                            \
    SINTER_REDUCTION(any,  std::uint8_t,   bool,           A(0),       may_be_empty, a | b)

enum class emptiness { may_be_empty, no_empty };

#define SINTER_REDUCTION(op, accumulates, gives, start, empty, ...)                                                    \
    struct op##_reduction {                                                                                            \
        static constexpr const char* name = #op;                                                                       \
        static constexpr auto when_empty = emptiness::empty;                                                           \
        static constexpr bool finds_position = false;                                                                  \
        template <class T>                                                                                             \
        using accumulator = accumulates;                                                                               \
        template <class T>                                                                                             \
        using result = gives;                                                                                          \
        template <class A>                                                                                             \
        static constexpr A identity = start;                                                                           \
        template <class P>                                                                                             \
        [[gnu::always_inline]] static P combine(P a, P b) {                                                            \
            return __VA_ARGS__;                                                                                        \
        }                                                                                                              \
    };
SINTER_REDUCTIONS
#undef SINTER_REDUCTION

/// The position of the first of the best values: NaN is best, and `better` orders all others.
struct position_reduction {
    static constexpr auto when_empty = emptiness::no_empty;
    static constexpr bool finds_position = true;
    template <class T>
    using accumulator = not_bool<T>;
    template <class>
    using result = std::int64_t;
};
struct argmin_reduction : position_reduction {
    static constexpr const char* name = "argmin";
    template <class A>
    static constexpr A identity = highest<A>;
    /// Whether b takes the place of the earlier a. Written so that NaN does, except that of another NaN.
    template <class P>
    [[gnu::always_inline]] static auto replaces(P b, P a) {
        return ~(b >= a) & (a == a);
    }
};
struct argmax_reduction : position_reduction {
    static constexpr const char* name = "argmax";
    template <class A>
    static constexpr A identity = lowest<A>;
    template <class P>
    [[gnu::always_inline]] static auto replaces(P b, P a) {
        return ~(b <= a) & (a == a);
    }
};

/// Which axes, as bits, and whether they stay.
struct reduced_axes {
    unsigned bits = 0;
    bool keep = false;
    constexpr bool has(int k) const { return bits >> k & 1; }
    constexpr int rank(int of) const {
        int r = of;
        for (int k = 0; k < of && !keep; ++k) r -= has(k);
        return r;
    }
};

template <int Rank, int... Axes>
constexpr void add_option(reduced_axes& a, axis_type<Axes...>) {
    static_assert(((Axes >= -Rank && Axes < Rank) && ...), "sinter: a reduction's axis is outside the expression's rank");
    ((a.bits |= 1u << normal_axis(Axes, Rank)), ...);
    static_assert(Rank < 0 || sizeof...(Axes) > 0, "sinter: axis<> names no axis: name one, or leave it out to reduce all");
}
template <int Rank>
constexpr void add_option(reduced_axes& a, all_type) {
    a.bits = (1u << Rank) - 1;
}
template <int Rank>
constexpr void add_option(reduced_axes& a, keepdims_type) {
    a.keep = true;
}
template <int Rank>
constexpr void add_option(reduced_axes&, ddof) {}

template <class O>
inline constexpr bool is_axes = false;
template <int... A>
inline constexpr bool is_axes<axis_type<A...>> = true;
template <>
inline constexpr bool is_axes<all_type> = true;
template <class O>
concept reduction_option = is_axes<O> || is_one_of<O, keepdims_type, ddof>;

template <int Rank, class... Options>
constexpr reduced_axes axes_from() {
    reduced_axes a;
    (add_option<Rank>(a, Options{}), ...);
    if constexpr (!(is_axes<Options> || ...)) a.bits = (1u << Rank) - 1;
    return a;
}

[[noreturn]] void throw_empty_reduction(const char* name, extents shape);

/// A barrier: split evaluates it before the kernel that uses it.
template <class R, class E, reduced_axes Axes>
struct reduction : expression_base {
    using value_type = typename R::template result<typename E::value_type>;
    static constexpr int rank = Axes.rank(E::rank);
    static constexpr bool is_barrier = true;

    E operand;
    sinter::shape<rank> extents{};

    explicit reduction(E e) : operand(std::move(e)) {
        int out = 0;
        for (int k = 0; k < E::rank; ++k) {
            if (!Axes.has(k))
                extents[out++] = operand.shape()[k];
            else if (Axes.keep)
                extents[out++] = 1;
        }
        if (R::when_empty == emptiness::no_empty && element_count(operand.shape(), 1) == 0 && element_count(extents, 1) != 0)
            throw_empty_reduction(R::name, operand.shape());
    }
    const sinter::shape<rank>& shape() const { return extents; }
};

template <class R, class... Options, expression E>
auto make_reduction(E&& e) {
    using node = std::remove_cvref_t<E>;
    return reduction<R, node, axes_from<node::rank, Options...>()>(std::forward<E>(e));
}

/// How many elements of e give one of the result.
template <class... Options, class E>
std::int64_t reduced_count(const E& e) {
    constexpr reduced_axes axes = axes_from<E::rank, Options...>();
    std::int64_t n = 1;
    for (int k = 0; k < E::rank; ++k)
        if (axes.has(k)) n *= e.shape()[k];
    return n;
}

constexpr std::int64_t less_of(ddof d) {
    return d.less;
}
template <class O>
constexpr std::int64_t less_of(O) {
    return 0;
}

/// The options that say which axes.
template <class... Options>
constexpr auto axes_of() {
    if constexpr (!(is_axes<Options> || ...))
        return all;
    else
        return std::get<0>(std::tuple_cat(std::conditional_t<is_axes<Options>, std::tuple<Options>, std::tuple<>>{}...));
}

/// e in a floating-point type.
template <expression E>
decltype(auto) floating(E&& e) {
    if constexpr (std::is_floating_point_v<value_type<E>>)
        return std::forward<E>(e);
    else
        return cast<double>(std::forward<E>(e));
}

} // namespace detail

// ---- the public functions. All take axis<…>, keepdims, both or neither: no axis means all of them.

// Sums and products: integers and bools in 64 bits, floating point in blocks whose sums are added pairwise.
// Minimum and maximum: NaN when there is one; they throw shape_error for no elements.
#define SINTER_REDUCTION_FUNCTION(op)                                                                                  \
    template <expression E, detail::reduction_option... Options>                                                       \
    auto op(E&& e, Options...) {                                                                                       \
        return detail::make_reduction<detail::op##_reduction, Options...>(std::forward<E>(e));                         \
    }
SINTER_REDUCTION_FUNCTION(sum)
SINTER_REDUCTION_FUNCTION(prod)
SINTER_REDUCTION_FUNCTION(min)
SINTER_REDUCTION_FUNCTION(max)

/// The position of the least or greatest element, in row-major order of the reduced axes: the first of equal ones, and the
/// first NaN when there is one. int64. Throws shape_error for no elements.
SINTER_REDUCTION_FUNCTION(argmin)
SINTER_REDUCTION_FUNCTION(argmax)
#undef SINTER_REDUCTION_FUNCTION

/// Whether all elements, any element, is not 0. True, false for no elements.
template <expression E, class... Options>
auto all_type::operator()(E&& e, Options...) const {
    static_assert((detail::reduction_option<Options> && ...), "sinter: all(e) takes axis<...> and keepdims");
    return detail::make_reduction<detail::all_reduction, Options...>(cast<bool>(std::forward<E>(e)));
}
template <expression E, detail::reduction_option... Options>
auto any(E&& e, Options...) {
    return detail::make_reduction<detail::any_reduction, Options...>(cast<bool>(std::forward<E>(e)));
}

/// How many elements are not 0. int64.
template <expression E, detail::reduction_option... Options>
auto count_nonzero(E&& e, Options... options) {
    return sum(cast<bool>(std::forward<E>(e)), options...);
}

/// The arithmetic mean; integers in double. NaN for no floating-point elements; throws shape_error for no integers.
template <expression E, detail::reduction_option... Options>
auto mean(E&& e, Options... options) {
    const std::int64_t n = detail::reduced_count<Options...>(e);
    if constexpr (!std::is_floating_point_v<value_type<E>>)
        if (n == 0) detail::throw_empty_reduction("mean", e.shape());
    return sum(detail::floating(std::forward<E>(e)), options...) / static_cast<double>(n);
}

/// The mean square distance from the mean, in two passes; with ddof{1} that of a sample.
template <expression E, detail::reduction_option... Options>
auto var(E&& e, Options... options) {
    const std::int64_t n = (detail::reduced_count<Options...>(e) - ... - detail::less_of(options));
    auto x = detail::floating(std::forward<E>(e));
    auto deviation = x - mean(x, detail::axes_of<Options...>(), keepdims);
    return sum(square(std::move(deviation)), options...) / static_cast<double>(n > 0 ? n : 0);
}

/// The square root of var.
template <expression E, detail::reduction_option... Options>
auto stddev(E&& e, Options... options) {
    return sqrt(var(std::forward<E>(e), options...));
}

/// The Euclidean length: the square root of the sum of squares. Integers in double.
template <expression E, detail::reduction_option... Options>
auto norm(E&& e, Options... options) {
    return sqrt(sum(square(detail::floating(std::forward<E>(e))), options...));
}

} // namespace sinter

// sinter/host/reduce.hpp -- stage 4: reduction kernels: a body whose values are combined instead of stored.
//
// Two loops, once for each instruction set: `row` folds a run of elements into one turn of accumulators, which `collapse`
// makes one; `column` folds element i of a run into accumulator i. Which of them runs over what, in which blocks, and how
// blocks are combined is lib/reduce.cpp; it depends on shapes alone, so results do not depend on the number of threads.
#pragma once

#include <sinter/expr/reduce.hpp>
#include <sinter/host/loop.hpp>

namespace sinter::detail {

/// `total` accumulators in memory: their values, and before them, for reductions that find a position, their positions.
struct accumulators {
    void* data;
    std::int64_t total;
};

/// A reduction ready to run, whatever its type. Elements are numbered from `position` on in the order of the reduced axes.
/// Runs may have any length; their inputs can be read up to a whole turn.
struct reduce_kernel {
    void (*row)(const void* body, inputs in, std::int64_t n, accumulators turn, std::int64_t position);
    void (*column)(const void* body, inputs in, std::int64_t n, accumulators columns, std::int64_t first, std::int64_t position);
    void (*clear)(accumulators a, std::int64_t n);
    void (*collapse)(accumulators turn); // into the first
    void (*combine)(accumulators into, accumulators from, std::int64_t n);
    void (*copy)(accumulators to, std::int64_t at, accumulators from, std::int64_t n);
    void (*finish)(accumulators from, std::int64_t n, void* to);
    int turn;
    int cost;
    int accumulator_bytes; // of one, with its position
    int element_bytes;     // of the result
    bool exact;
};

/// Reduces the axes whose bit is set; the result is row-major over the other axes. `inputs` may be changed.
void run_reduction(const reduce_kernel& kernel, const void* body, std::span<input_layout> inputs, extents shape, unsigned reduced,
                   void* to);

// ---- accumulators of W lanes

template <class R, class A, class W>
struct folded {
    packet<A, W> value;

    SINTER_INLINE static folded load(accumulators a, std::int64_t i) {
        return {packet<A, W>::load(static_cast<const A*>(a.data) + i)};
    }
    SINTER_INLINE static folded identity() { return {packet<A, W>::splat(R::template identity<A>)}; }
    SINTER_INLINE void store(accumulators a, std::int64_t i) const { value.store(static_cast<A*>(a.data) + i); }
    SINTER_INLINE void fold(packet<A, W> x, packet<std::int64_t, W>) { value = R::combine(value, x); }
    SINTER_INLINE void combine(const folded& later) { value = R::combine(value, later.value); }
};

template <class R, class A, class W>
    requires R::finds_position
struct folded<R, A, W> {
    packet<A, W> value;
    packet<std::int64_t, W> position;

    static std::int64_t* positions(accumulators a) { return static_cast<std::int64_t*>(a.data); }
    static A* values(accumulators a) { return reinterpret_cast<A*>(positions(a) + a.total); }

    SINTER_INLINE static folded load(accumulators a, std::int64_t i) {
        return {packet<A, W>::load(values(a) + i), packet<std::int64_t, W>::load(positions(a) + i)};
    }
    SINTER_INLINE static folded identity() { return {packet<A, W>::splat(R::template identity<A>), packet<std::int64_t, W>::splat(0)}; }
    SINTER_INLINE void store(accumulators a, std::int64_t i) const {
        value.store(values(a) + i);
        position.store(positions(a) + i);
    }
    SINTER_INLINE void fold(packet<A, W> x, packet<std::int64_t, W> at) {
        const auto better = R::replaces(x, value);
        value = select(better, x, value);
        position = select(better, at, position);
    }
    SINTER_INLINE void combine(const folded& other) {
        const auto tie = ~R::replaces(other.value, value) & ~R::replaces(value, other.value);
        const auto better = R::replaces(other.value, value) | (tie & (other.position < position));
        value = select(better, other.value, value);
        position = select(better, other.position, position);
    }
};

// ---- the loops

template <class R, class Body>
using accumulator_of = typename R::template accumulator<typename Body::value_type>;

template <isa Level, class R, class Body>
using reduce_width = width<Level, static_cast<int>(packet_bytes(Level) / std::max({Body::widest, sizeof(typename Body::value_type),
                                                                                            sizeof(accumulator_of<R, Body>)}))>;

template <isa Level, class R, class Body>
inline constexpr int reduce_turn = unroll<Level, Body> * reduce_width<Level, R, Body>::lanes;

/// A packet of values to fold, with lanes from `valid` on replaced by the identity where not all are valid.
template <class R, class A, class W, bool Whole, class V>
SINTER_INLINE packet<A, W> reduced_values(const V& v, [[maybe_unused]] std::int64_t valid) {
    const auto value = convert<A>(v);
    if constexpr (Whole)
        return value;
    else
        return select(lane_numbers<A, W>() < packet<A, W>::splat(static_cast<A>(std::clamp<std::int64_t>(valid, 0, W::lanes))), value,
                      packet<A, W>::splat(R::template identity<A>));
}

/// Folds one turn, of which elements up to n are valid.
template <class R, class A, class W, bool Whole, class Body, class Inputs, int... U>
SINTER_INLINE void fold_turn(const Body& body, const Inputs& in, std::int64_t i, std::int64_t n, packet<std::int64_t, W> lanes,
                             folded<R, A, W>* sums, std::integer_sequence<int, U...> several) {
    const auto values = body.template at<W>(in, several);
    (sums[U].fold(reduced_values<R, A, W, Whole>(values.of[U], n - i - U * W::lanes), lanes + (i + U * W::lanes)), ...);
}

template <isa Level, int Slots, class R, class Body>
SINTER_INLINE void reduce_row(const void* erased, const inputs& given, std::int64_t n, accumulators to, std::int64_t position) {
    using A = accumulator_of<R, Body>;
    using W = reduce_width<Level, R, Body>;
    constexpr int packets = unroll<Level, Body>;
    constexpr auto several = std::make_integer_sequence<int, packets>{};
    const Body body = *static_cast<const Body*>(erased);
    input_cursor<Slots, slot_bytes<Slots, Body>> in(given, W::lanes);
    folded<R, A, W> totals[packets];
    for (int u = 0; u < packets; ++u) totals[u] = folded<R, A, W>::load(to, u * W::lanes);

    constexpr std::int64_t turn = packets * W::lanes, block = 64 * turn; // short sums first: their error is smaller
    const auto lanes = lane_numbers<std::int64_t, W>() + position;
    const std::int64_t whole = n / turn * turn;
    for (std::int64_t from = 0; from < whole; from += block) {
        folded<R, A, W> sums[packets];
        for (auto& sum : sums) sum = folded<R, A, W>::identity();
        for (std::int64_t i = from; i < std::min(whole, from + block); i += turn) {
            fold_turn<R, A, W, true>(body, in, i, n, lanes, sums, several);
            in.advance(packets);
        }
        for (int u = 0; u < packets; ++u) totals[u].combine(sums[u]);
    }
    if (whole < n) fold_turn<R, A, W, false>(body, in, whole, n, lanes, totals, several);
    for (int u = 0; u < packets; ++u) totals[u].store(to, u * W::lanes);
}

template <isa Level, int Slots, class R, class Body>
SINTER_INLINE void reduce_column(const void* erased, const inputs& given, std::int64_t n, accumulators to, std::int64_t first,
                                 std::int64_t position) {
    using A = accumulator_of<R, Body>;
    using W = reduce_width<Level, R, Body>;
    constexpr auto single = std::make_integer_sequence<int, 1>{};
    const Body body = *static_cast<const Body*>(erased);
    input_cursor<Slots, slot_bytes<Slots, Body>> in(given, W::lanes);
    const auto at = packet<std::int64_t, W>::splat(position);
    std::int64_t i = 0;
    for (; i + W::lanes <= n; i += W::lanes) {
        auto sum = folded<R, A, W>::load(to, first + i);
        sum.fold(reduced_values<R, A, W, true>(body.template at<W>(in, single).of[0], n), at);
        sum.store(to, first + i);
        in.advance(1);
    }
    if (i < n) {
        auto sum = folded<R, A, W>::load(to, first + i);
        sum.fold(reduced_values<R, A, W, false>(body.template at<W>(in, single).of[0], n - i), at);
        sum.store(to, first + i);
    }
}

#define SINTER_REDUCE_LOOPS(level, target)                                                                             \
    template <int Slots, class R, class Body>                                                                          \
    target void reduce_row_##level(const void* body, inputs in, std::int64_t n, accumulators to, std::int64_t position) { \
        reduce_row<isa::level, Slots, R, Body>(body, in, n, to, position);                                             \
    }                                                                                                                  \
    template <int Slots, class R, class Body>                                                                          \
    target void reduce_column_##level(const void* body, inputs in, std::int64_t n, accumulators to, std::int64_t first, \
                                      std::int64_t position) {                                                         \
        reduce_column<isa::level, Slots, R, Body>(body, in, n, to, first, position);                                   \
    }
SINTER_REDUCE_LOOPS(v1, )
#if SINTER_X86
SINTER_REDUCE_LOOPS(v3, SINTER_TARGET_V3)
SINTER_REDUCE_LOOPS(v4, SINTER_TARGET_V4)
#endif
#undef SINTER_REDUCE_LOOPS

// ---- what is done with accumulators: the same on every instruction set

/// Result T of reduction R.
template <class R, class T>
struct accumulating {
    using A = typename R::template accumulator<T>;
    using result = typename R::template result<T>;
    static constexpr int lanes = 16 / static_cast<int>(sizeof(A));
    template <int Lanes>
    using several = folded<R, A, width<isa::v1, Lanes>>;

    template <class F>
    static void for_each(std::int64_t n, F f) {
        std::int64_t i = 0;
        for (; i + lanes <= n; i += lanes) f.template operator()<several<lanes>>(i);
        for (; i < n; ++i) f.template operator()<several<1>>(i);
    }
    static void clear(accumulators a, std::int64_t n) {
        for_each(n, [&]<class F>(std::int64_t i) { F::identity().store(a, i); });
    }
    static void combine(accumulators into, accumulators from, std::int64_t n) {
        for_each(n, [&]<class F>(std::int64_t i) {
            auto sum = F::load(into, i);
            sum.combine(F::load(from, i));
            sum.store(into, i);
        });
    }
    static void copy(accumulators to, std::int64_t at, accumulators from, std::int64_t n) {
        for_each(n, [&]<class F>(std::int64_t i) { F::load(from, i).store(to, at + i); });
    }
    static void collapse(accumulators turn) {
        for (std::int64_t half = turn.total / 2; half > 0; half /= 2)
            for_each(half, [&]<class F>(std::int64_t i) {
                auto sum = F::load(turn, i);
                sum.combine(F::load(turn, half + i));
                sum.store(turn, i);
            });
    }
    static void finish(accumulators from, std::int64_t n, void* to) {
        for (std::int64_t i = 0; i < n; ++i) {
            if constexpr (R::finds_position)
                static_cast<result*>(to)[i] = several<1>::positions(from)[i];
            else
                static_cast<result*>(to)[i] = static_cast<result>(static_cast<const A*>(from.data)[i]);
        }
    }
};

template <isa Level, class R, class Body, class Loop>
constexpr reduce_kernel describe_reduction(Loop row, decltype(reduce_kernel::column) column) {
    using all = accumulating<R, typename Body::value_type>;
    return {row, column, all::clear, all::collapse, all::combine, all::copy, all::finish, reduce_turn<Level, R, Body>,
            (Body::cost + 1) * 16 / reduce_width<Level, R, Body>::lanes,
            static_cast<int>(sizeof(typename all::A) + (R::finds_position ? sizeof(std::int64_t) : 0)),
            static_cast<int>(sizeof(typename all::result)), Body::exact};
}

/// The kernel of a reduction for the active instruction set.
template <int Slots, class R, class Body>
const reduce_kernel& reduce_kernel_of() {
#define SINTER_DESCRIBE(level)                                                                                         \
    describe_reduction<isa::level, R, Body>(reduce_row_##level<Slots, R, Body>, reduce_column_##level<Slots, R, Body>)
#if SINTER_X86
    static constexpr reduce_kernel kernels[] = {SINTER_DESCRIBE(v1), SINTER_DESCRIBE(v3), SINTER_DESCRIBE(v4)};
    return kernels[static_cast<int>(active_isa())];
#else
    static constexpr reduce_kernel kernel = SINTER_DESCRIBE(v1);
    return kernel;
#endif
#undef SINTER_DESCRIBE
}

} // namespace sinter::detail

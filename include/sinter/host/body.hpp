// sinter/host/body.hpp -- stage 4: a fused expression as the body of a loop: packets in, one packet out.
//
// fuse/lower.hpp turns an expression into a body, whose type alone says what is computed. A body reads its inputs by slot:
// input `Slot` is at `pointer[Slot] + i * step[Slot]` for element i, where step is 1 for contiguous values and 0 for one
// value that was repeated over a packet. Generated values have no memory: their "pointer" is a position, with any step.
#pragma once

#include <tuple>

#include <sinter/expr/elementwise.hpp>
#include <sinter/host/arithmetic.hpp>

namespace sinter::detail {

/// Where the inputs of a body are, for one run of neighbouring elements.
struct inputs {
    const void* const* pointer;
    const std::int64_t* step;
};

/// Values in memory.
template <class T, int Slot>
struct load_body {
    using value_type = T;
    static constexpr std::size_t widest = sizeof(T);
    static constexpr int cost = 1;
    static constexpr bool exact = false;

    template <class W>
    SINTER_INLINE auto at(const inputs& in, std::int64_t i) const {
        return packet_of<T, W>::load(static_cast<const T*>(in.pointer[Slot]) + i * in.step[Slot]);
    }
};

/// Values computed from their position in row-major order: arange, random, …
template <class Generator, int Slot>
struct generate_body {
    using value_type = typename Generator::value_type;
    static constexpr std::size_t widest = sizeof(std::int64_t);
    static constexpr int cost = Generator::cost;
    static constexpr bool exact = false;
    Generator generator;

    template <class W>
    SINTER_INLINE auto at(const inputs& in, std::int64_t i) const {
        const auto first = reinterpret_cast<std::intptr_t>(in.pointer[Slot]) + i * in.step[Slot];
        return generator.value(first + lane_numbers<std::int64_t, W>() * in.step[Slot]);
    }
};

/// One value for all elements.
template <class T>
struct constant_body {
    using value_type = T;
    static constexpr std::size_t widest = 1; // converted where it is used
    static constexpr int cost = 0;
    static constexpr bool exact = false;
    T value;

    template <class W>
    SINTER_INLINE auto at(const inputs&, std::int64_t) const {
        return packet_of<T, W>::splat(value);
    }
};

/// An operand converted to the type that its operation computes in. Constants convert once, outside the loop.
template <class To, class W, class Body>
SINTER_INLINE auto converted(const Body& body, const inputs& in, std::int64_t i) {
    using From = typename Body::value_type;
    if constexpr (std::is_same_v<To, From>)
        return body.template at<W>(in, i);
    else
        return convert<To>(body.template at<W>(in, i));
}
template <class To, class W, class T>
SINTER_INLINE auto converted(const constant_body<T>& body, const inputs&, std::int64_t) {
    return packet_of<To, W>::splat(static_cast<To>(body.value));
}

/// An operation on the values of other bodies.
template <class Op, class Compute, class... Args>
struct apply_body {
    using value_type = typename Op::template result<Compute>;
    template <std::size_t I>
    using argument = std::tuple_element_t<I, std::tuple<Args...>>;
    static constexpr std::size_t widest = std::max({sizeof(value_type), Op::template widest<Compute>, Args::widest...});
    static constexpr int cost = (Op::cost + ... + Args::cost);
    static constexpr bool exact = (Op::exact || ... || Args::exact);
    [[no_unique_address]] Op op;
    std::tuple<Args...> args;

    template <class W>
    SINTER_INLINE auto at(const inputs& in, std::int64_t i) const {
        return at<W>(in, i, std::index_sequence_for<Args...>{});
    }

private:
    template <class W, std::size_t... I>
    SINTER_INLINE auto at(const inputs& in, std::int64_t i, std::index_sequence<I...>) const {
        return op.value(
            converted<typename Op::template operand_as<Compute, I, typename argument<I>::value_type>, W>(std::get<I>(args), in, i)...);
    }
};

} // namespace sinter::detail

// sinter/host/body.hpp -- stage 4: a fused expression as the body of a loop: packets in, one packet out.
//
// fuse/lower.hpp turns an expression into a body, whose type alone says what is computed. A body reads its inputs by slot,
// from where the loop has come to: packet U of a turn is at `address[Slot] + U * stride[Slot]`, in bytes. The stride is a
// packet for contiguous values, and 0 for one value that was repeated over a packet. Generated values have no memory: their
// "pointer" is a position, and `step` the distance of neighbouring positions.
//
// A body gives several packets at a time, operation by operation: so the processor, which looks some 200 instructions
// ahead, always has independent ones to overlap with the chain that a polynomial is. bench/black_scholes: 4 packets each
// through the whole body are 2.5 times slower than 4 packets through each operation.
#pragma once

#include <array>
#include <tuple>

#include <sinter/expr/elementwise.hpp>
#include <sinter/host/arithmetic.hpp>

namespace sinter::detail {

/// Where the inputs of a body are, for one run of neighbouring elements: step 1 is contiguous, step 0 one value repeated.
struct inputs {
    const void* const* pointer;
    const std::int64_t* step;
};

/// The same while a loop runs through the elements. The loop alone sees it, so that it stays in registers.
/// `Bytes` of an element are those of each slot: 1 for generated values, 0 in slots that are not read.
template <int Slots, const std::array<int, Slots + 1>& Bytes>
struct input_cursor {
    std::uintptr_t address[Slots > 0 ? Slots : 1];
    std::int64_t stride[Slots > 0 ? Slots : 1];
    std::int64_t step[Slots > 0 ? Slots : 1];

    SINTER_INLINE input_cursor(const inputs& in, int lanes) { start(in, lanes, std::make_integer_sequence<int, Slots>{}); }
    SINTER_INLINE void advance(int packets) { advance(packets, std::make_integer_sequence<int, Slots>{}); }

private:
    template <int... K>
    SINTER_INLINE void start([[maybe_unused]] const inputs& in, [[maybe_unused]] int lanes, std::integer_sequence<int, K...>) {
        ((Bytes[K] > 0 ? void((address[K] = reinterpret_cast<std::uintptr_t>(in.pointer[K]), step[K] = in.step[K],
                               stride[K] = in.step[K] * Bytes[K] * lanes))
                       : void()),
         ...);
    }
    template <int... K>
    SINTER_INLINE void advance([[maybe_unused]] int packets, std::integer_sequence<int, K...>) {
        ((Bytes[K] > 0 ? void(address[K] += static_cast<std::uintptr_t>(packets * stride[K])) : void()), ...);
    }
};

/// Several packets, or masks, of neighbouring elements.
template <class V, int Count>
struct bundle {
    using packet_type = V;
    V of[Count];
};

/// Values in memory.
template <class T, int Slot>
struct load_body {
    using value_type = T;
    static constexpr std::size_t widest = sizeof(T);
    static constexpr int cost = 1;
    static constexpr bool exact = false;

    static constexpr void describe(int* bytes) { bytes[Slot] = sizeof(T); }

    template <class W, class Inputs, int... U>
    SINTER_INLINE auto at(const Inputs& in, std::integer_sequence<int, U...>) const {
        return bundle<packet_of<T, W>, sizeof...(U)>{
            packet_of<T, W>::load(reinterpret_cast<const T*>(in.address[Slot] + static_cast<std::uintptr_t>(U * in.stride[Slot])))...};
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

    static constexpr void describe(int* bytes) { bytes[Slot] = 1; }

    template <class W, class Inputs, int... U>
    SINTER_INLINE auto at(const Inputs& in, std::integer_sequence<int, U...>) const {
        return bundle<packet_of<value_type, W>, sizeof...(U)>{one<W>(in, U)...};
    }

private:
    template <class W, class Inputs>
    SINTER_INLINE auto one(const Inputs& in, int u) const {
        const auto first = static_cast<std::int64_t>(in.address[Slot]) + u * in.stride[Slot];
        const auto positions = first + lane_numbers<std::int64_t, W>() * in.step[Slot];
        const auto parameters = generator.parameters();
        return with_parameters(positions, parameters, std::make_index_sequence<std::tuple_size_v<decltype(generator.parameters())>>{});
    }
    template <class P, class Parameters, std::size_t... I>
    SINTER_INLINE static auto with_parameters(P positions, const Parameters& parameters, std::index_sequence<I...>) {
        return Generator::value(positions, std::get<I>(parameters)...);
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

    static constexpr void describe(int*) {}

    template <class W, class Inputs, int... U>
    SINTER_INLINE auto at(const Inputs&, std::integer_sequence<int, U...>) const {
        return bundle<packet_of<T, W>, sizeof...(U)>{(void(U), packet_of<T, W>::splat(value))...};
    }
};

/// An operand converted to the type that its operation computes in. Constants convert once, outside the loop.
template <class To, class W, class Body, class Inputs, int... U>
SINTER_INLINE auto converted(const Body& body, const Inputs& in, std::integer_sequence<int, U...> several) {
    const auto values = body.template at<W>(in, several);
    if constexpr (std::is_same_v<To, typename Body::value_type>)
        return values;
    else
        return bundle<decltype(convert<To>(values.of[0])), sizeof...(U)>{convert<To>(values.of[U])...};
}
template <class To, class W, class T, class Inputs, int... U>
SINTER_INLINE auto converted(const constant_body<T>& body, const Inputs& in, std::integer_sequence<int, U...> several) {
    return constant_body<To>{static_cast<To>(body.value)}.template at<W>(in, several);
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

    static constexpr void describe(int* bytes) { (Args::describe(bytes), ...); }

    template <class W, class Inputs, int... U>
    SINTER_INLINE auto at(const Inputs& in, std::integer_sequence<int, U...> several) const {
        return at<W>(in, several, std::index_sequence_for<Args...>{});
    }

private:
    template <class W, class Inputs, class Several, std::size_t... I>
    SINTER_INLINE auto at(const Inputs& in, Several several, std::index_sequence<I...>) const {
        return values(several,
                      converted<typename Op::template operand_as<Compute, I, typename argument<I>::value_type>, W>(std::get<I>(args), in, several)...);
    }
    template <int... U, class... Bundles>
    SINTER_INLINE auto values(std::integer_sequence<int, U...>, const Bundles&... b) const {
        return bundle<decltype(value<0>(b...)), sizeof...(U)>{value<U>(b...)...};
    }
    template <int U, class... Bundles>
    SINTER_INLINE auto value(const Bundles&... b) const {
        return op.value(b.of[U]...);
    }
};

/// Bytes of an element in each slot of a body: 1 for generated values, 0 in slots that it does not read.
template <int Slots, class Body>
inline constexpr auto slot_bytes = [] {
    std::array<int, Slots + 1> bytes{};
    Body::describe(bytes.data());
    return bytes;
}();

} // namespace sinter::detail

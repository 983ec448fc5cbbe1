// sinter/host/loop.hpp -- stage 4: elementwise kernels: a body run over an iteration space, once for each instruction set.
//
// What depends on the expression is one function, the `tile`: it runs the body over n neighbouring elements. How the
// iteration space is cut into tiles, in which order and on which threads, is lib/loop.cpp, compiled once for all.
#pragma once

#include <sinter/core/shape.hpp>
#include <sinter/host/body.hpp>

namespace sinter::detail {

template <isa Level, class Body>
using width_of = width<Level, static_cast<int>(packet_bytes(Level) / std::max(Body::widest, sizeof(typename Body::value_type)))>;

/// Packets that one turn of the loop computes side by side. bench/black_scholes (float, cost 120, AVX-512): 4 packets 1.3 ns an
/// element, 2 packets 1.9, 1 packet 3.0. Compiling takes in proportion, so heavy bodies get fewer on older instruction
/// sets, and in double, whose functions have longer code.
template <isa Level, class Body>
inline constexpr int unroll = Body::cost <= 16    ? 4
                              : Body::cost > 160  ? 1
                              : Level == isa::v1  ? 1
                              : Level == isa::v3  ? 2
                              : Body::widest == 8 ? 2
                                                  : 4;

/// Elements that a tile's length must be a multiple of.
template <isa Level, class Body>
inline constexpr int turn = unroll<Level, Body> * width_of<Level, Body>::lanes;

/// Runs a body over n elements, a multiple of its turn. `stream` bypasses the caches; `to` is then aligned to a packet.
using tile_function = void (*)(const void* body, inputs in, void* to, std::int64_t n, bool stream);

/// `bytes` behind an address, which for generated values is a position, and may be any number.
inline const void* displaced(const void* address, std::int64_t bytes) {
    return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(address) + static_cast<std::uintptr_t>(bytes));
}

/// How to read one input over the iteration space.
struct input_layout {
    const void* base = nullptr;               // or the first position, of generated values
    std::int64_t strides[max_rank];           // in elements, of as many axes as there are
    std::uint8_t element_bytes = 0;           // 0: generated, no memory
    bool irregular = false;                   // in the first layout: a reshape below cannot be expressed by strides
    bool flat = true;                         // read in the order of the iteration space, one element after the other
};

/// A kernel ready to run, whatever its type.
struct loop_kernel {
    tile_function tile;
    int turn;           // elements a turn, a power of two
    int cost;           // rough cycles for 16 elements, memory apart
    int element_bytes;  // of the result
    bool exact;         // calls a function that may be given no element but those asked for
};

/// Runs the kernel over `shape`, writing elements at to + Σ index * to_strides.
/// `inputs` may be changed (axes are merged in place).
void run_loop(const loop_kernel& kernel, const void* body, std::span<input_layout> inputs, extents shape, void* to,
              const std::int64_t* to_strides);

/// The same where every input and the result are read and written in order.
void run_flat_loop(const loop_kernel& kernel, const void* body, std::span<const input_layout> inputs, std::int64_t n, void* to);

// ---- the tile

/// A value as it is stored: bools as one byte.
template <class V>
SINTER_INLINE auto stored(const V& value) {
    if constexpr (is_mask<V>)
        return resize<1>(value);
    else
        return value;
}

/// Stores past the caches: what is not read again soon need not displace what is.
template <class T, class W>
SINTER_INLINE void stream_store(packet<T, W> value, T* to) {
    constexpr int bytes = sizeof(value.v);
#if SINTER_X86
    if constexpr (bytes >= 16 && bytes <= static_cast<int>(packet_bytes(W::level))) {
        using aligned = typename vector_of<long long, bytes / 8>::type;
        auto* const destination = reinterpret_cast<aligned*>(to);
#    if defined(__clang__)
        __builtin_nontemporal_store((aligned)value.v, destination);
#    else
        if constexpr (bytes == 64)
            __builtin_ia32_movntdq512(destination, (aligned)value.v);
        else if constexpr (bytes == 32)
            __builtin_ia32_movntdq256(destination, (aligned)value.v);
        else
            __builtin_ia32_movntdq(destination, (aligned)value.v);
#    endif
        return;
    }
#endif
    store(value, to);
}
template <class W>
SINTER_INLINE void stream_store(mask<1, W> value, bool* to) {
    store(value, to);
}

template <class W, class Body, class Inputs, class T, int... U>
SINTER_INLINE void run_turn(const Body& body, const Inputs& in, T* to, bool streaming, std::integer_sequence<int, U...> several) {
    const auto values = body.template at<W>(in, several);
    if (streaming)
        (stream_store(stored(values.of[U]), to + U * W::lanes), ...);
    else
        (store(stored(values.of[U]), to + U * W::lanes), ...);
}

template <isa Level, int Slots, class Body>
SINTER_INLINE void tile(const void* erased, const inputs& given, void* erased_to, std::int64_t n, bool streaming) {
    using T = typename Body::value_type;
    using W = width_of<Level, Body>;
    const Body body = *static_cast<const Body*>(erased); // a copy that nothing else can see
    input_cursor<Slots, slot_bytes<Slots, Body>> in(given, W::lanes);
    T* const to = static_cast<T*>(erased_to);
    for (std::int64_t i = 0; i < n; i += turn<Level, Body>) {
        run_turn<W>(body, in, to + i, streaming, std::make_integer_sequence<int, unroll<Level, Body>>{});
        in.advance(unroll<Level, Body>);
    }
}

template <int Slots, class Body>
SINTER_TARGET_V4 void tile_v4(const void* body, inputs in, void* to, std::int64_t n, bool stream) {
    tile<isa::v4, Slots, Body>(body, in, to, n, stream);
}
template <int Slots, class Body>
SINTER_TARGET_V3 void tile_v3(const void* body, inputs in, void* to, std::int64_t n, bool stream) {
    tile<isa::v3, Slots, Body>(body, in, to, n, stream);
}
template <int Slots, class Body>
void tile_v1(const void* body, inputs in, void* to, std::int64_t n, bool stream) {
    tile<isa::v1, Slots, Body>(body, in, to, n, stream);
}

template <isa Level, class Body>
constexpr loop_kernel describe(tile_function f) {
    return {f, turn<Level, Body>, Body::cost * 16 / width_of<Level, Body>::lanes, static_cast<int>(sizeof(typename Body::value_type)),
            Body::exact};
}

/// The kernel of a body for the active instruction set.
template <int Slots, class Body>
const loop_kernel& loop_kernel_of() {
#if SINTER_X86
    static constexpr loop_kernel kernels[] = {describe<isa::v1, Body>(tile_v1<Slots, Body>),
                                              describe<isa::v3, Body>(tile_v3<Slots, Body>),
                                              describe<isa::v4, Body>(tile_v4<Slots, Body>)};
    return kernels[static_cast<int>(active_isa())];
#else
    static constexpr loop_kernel kernel = describe<isa::v1, Body>(tile_v1<Slots, Body>);
    return kernel;
#endif
}

} // namespace sinter::detail

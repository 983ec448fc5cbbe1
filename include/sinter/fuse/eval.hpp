// sinter/fuse/eval.hpp -- THE PIPELINE: from an expression to values in memory.
//
//   1  split   what cannot join one kernel is evaluated first                      fuse/split.hpp
//   2  lower   the rest becomes a loop body and the layouts of its inputs          fuse/lower.hpp
//      share   what is written twice is computed once                              fuse/share.hpp
//   3  place   the result goes in place, into the target's memory, or into new     here
//   4  run     the kernel of the body runs over the iteration space                host/loop.hpp, host/reduce.hpp
#pragma once

#include <sinter/fuse/lower.hpp>
#include <sinter/fuse/share.hpp>
#include <sinter/fuse/split.hpp>
#include <sinter/host/reduce.hpp>

namespace sinter {
namespace detail {

/// Stages 1 and 2: calls run(e, body, layouts, shares), where e has no barriers, and `shares` counts how often this
/// evaluation, with the expression it was given, holds the buffer `target`.
template <class E, class Run>
void with_lowered(const E& e, const buffer& target, std::int64_t shares, Run&& run) {
    if constexpr (has_barrier<E>::value) {
        const auto rest = split(e);
        with_lowered(rest, target, shares + shares_of(rest, target), run);
    } else {
        std::array<input_layout, input_count<E>> layouts;
        const auto body = lower<0>(e, layouts.data());
        if constexpr (has_reshape<E>::value) {
            if (input_count<E> > 0 && layouts.data()->irregular) {
                const auto rest = evaluate_reshapes(e);
                with_lowered(rest, target, shares + shares_of(rest, target), run);
                return;
            }
        }
        if constexpr (repeats<E>::any) {
            if (repeat_check{}(e)) {
                run(e, with_canonical_inputs<repeats<E>>(body), std::span<input_layout>(layouts), shares);
                return;
            }
        }
        run(e, body, std::span<input_layout>(layouts), shares);
    }
}

/// Stage 4, elementwise.
template <int Slots, class Body>
void run_kernel(const Body& body, std::span<input_layout> layouts, extents shape, void* to, const std::int64_t* to_strides,
                bool flat) {
    const loop_kernel& kernel = loop_kernel_of<Slots, Body>();
    if (flat) {
        std::int64_t n = 1;
        for (const auto extent : shape) n *= extent;
        run_flat_loop(kernel, &body, layouts, n, to);
    } else {
        run_loop(kernel, &body, layouts, shape, to, to_strides);
    }
}

/// Whether a kernel that writes element i at base + i · strides may read this input from the same memory.
inline bool reads_what_it_writes(const input_layout& input, const void* base, extents shape, const std::int64_t* strides) {
    if (input.base != base) return false;
    for (std::size_t k = 0; k < shape.size(); ++k)
        if (shape[k] > 1 && input.strides[k] != strides[k]) return false;
    return true;
}

/// Whether the kernel can write there although inputs lie in the same buffer.
inline bool in_place(std::span<const input_layout> layouts, const buffer& b, const void* base, extents shape,
                     const std::int64_t* strides) {
    const auto* const begin = static_cast<const char*>(b.data());
    for (const auto& input : layouts) {
        const auto* const p = static_cast<const char*>(input.base);
        if (input.element_bytes == 0 || std::less<>{}(p, begin) || std::less_equal<>{}(begin + b.bytes(), p)) continue;
        if (!reads_what_it_writes(input, base, shape, strides)) return false;
    }
    return true;
}

template <class T, int N, class E>
constexpr void check_assignable() {
    static_assert(E::rank == N, "sinter: the expression's rank differs from the tensor's: use sinter::reshape, "
                                "sinter::expand_dims or a slice");
    static_assert(std::is_same_v<typename E::value_type, T>,
                  "sinter: the expression's element type differs from the tensor's: use sinter::cast<T>(expression)");
}

template <class T, int N, class E>
void assign(tensor<T, N>& target, E&& given) {
    using node = std::remove_cvref_t<E>;
    check_assignable<T, N, node>();
    if constexpr (node::rank == N && std::is_same_v<typename node::value_type, T>) {
        if constexpr (barrier<node>) {
            target = evaluate(given);
        } else {
            // A named expression keeps its values: what it holds is not written to.
            constexpr bool temporary = !std::is_lvalue_reference_v<E>;
            with_lowered(given, target.storage(), shares_of(given, target.storage()),
                         [&](const auto& e, const auto& body, std::span<input_layout> layouts, std::int64_t shares) {
                             constexpr int slots = input_count<std::remove_cvref_t<decltype(e)>>;
                             const auto& shape = e.shape();
                             const auto strides = row_major(shape);
                             bool flat = true;
                             for (const auto& l : layouts) flat &= l.flat;
                             const std::int64_t owners = target.storage().owners();
                             if (same_shape(target.shape(), shape) &&
                                 (owners == 1 || (temporary && owners == 1 + shares &&
                                                  in_place(layouts, target.storage(), target.data(), shape, strides.data())))) {
                                 run_kernel<slots>(body, layouts, shape, target.mutable_data(), strides.data(), flat);
                             } else {
                                 tensor<T, N> result(shape);
                                 run_kernel<slots>(body, layouts, shape, result.mutable_data(), strides.data(), flat);
                                 target = std::move(result);
                             }
                         });
        }
    }
}

template <class T, int N, class E>
void assign_same_shape(tensor<T, N>& target, E&& e) {
    check_assignable<T, N, std::remove_cvref_t<E>>();
    if constexpr (std::remove_cvref_t<E>::rank == N)
        if (!same_shape(e.shape(), target.shape())) throw_shape_mismatch("an assignment such as +=", e.shape(), target.shape());
    assign(target, std::forward<E>(e));
}

} // namespace detail

/// Runs the expression now.
template <expression E>
auto eval(E&& e) {
    return tensor<value_type<E>, rank<E>>(std::forward<E>(e));
}

/// Runs several expressions now.
template <expression... E>
    requires(sizeof...(E) > 1)
auto eval(E&&... e) {
    return std::tuple(eval(std::forward<E>(e))...);
}

} // namespace sinter

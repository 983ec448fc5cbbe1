// sinter/fuse/lower.hpp -- stage 3: an expression without barriers becomes a loop body and the layouts of its inputs.
//
// Each node type says here which body it is, and how it changes the layouts of the inputs below it: views change strides,
// broadcasting makes them 0. So no view costs anything inside the loop.
#pragma once

#include <sinter/expr/create.hpp>
#include <sinter/expr/view.hpp>
#include <sinter/host/loop.hpp>

namespace sinter::detail {

/// How an expression type is lowered: its number of inputs, and
/// `static auto lower<Slot>(e, layouts)`, which fills layouts[Slot …] over e's own axes and returns the body.
template <class E>
struct lowering;

template <class E>
inline constexpr int input_count = lowering<E>::inputs;

template <int Slot, class E>
auto lower(const E& e, input_layout* layouts) {
    return lowering<E>::template lower<Slot>(e, layouts);
}

// ---- leaves

template <class T, int N>
struct lowering<tensor<T, N>> {
    static constexpr int inputs = 1;
    template <int Slot>
    static auto lower(const tensor<T, N>& t, input_layout* layouts) {
        input_layout& l = layouts[Slot];
        l.base = t.data();
        l.element_bytes = sizeof(T);
        l.flat = true;
        std::int64_t stride = 1;
        for (int k = N; k-- > 0;) {
            l.strides[k] = stride;
            stride *= t.shape()[k];
        }
        return load_body<T, Slot>{};
    }
};

template <class T>
struct lowering<constant<T>> {
    static constexpr int inputs = 0;
    template <int Slot>
    static auto lower(const constant<T>& c, input_layout*) {
        return constant_body<T>{c.value};
    }
};

template <class G, int N>
struct lowering<generated<G, N>> {
    static constexpr int inputs = 1;
    template <int Slot>
    static auto lower(const generated<G, N>& g, input_layout* layouts) {
        input_layout& l = layouts[Slot];
        l.base = nullptr;
        l.element_bytes = 0;
        l.flat = true;
        const auto strides = row_major(g.extents);
        for (int k = 0; k < N; ++k) l.strides[k] = strides[k];
        return generate_body<G, Slot>{g.generator};
    }
};

/// A fill is one value: it needs no position.
template <class T, int N>
struct lowering<generated<fill_generator<T>, N>> {
    static constexpr int inputs = 0;
    template <int Slot>
    static auto lower(const generated<fill_generator<T>, N>& g, input_layout*) {
        return constant_body<T>{g.generator.fill};
    }
};

// ---- elementwise

/// Layouts over the axes of `from`, seen over the axes of `to`, which `from` broadcasts to.
template <std::size_t M, std::size_t N>
void broadcast_layouts(std::span<input_layout> layouts, const std::array<std::int64_t, M>& from,
                       const std::array<std::int64_t, N>& to) {
    if constexpr (M == N)
        if (same_shape(from, to)) return;
    for (input_layout& l : layouts) {
        l.flat = false;
        for (std::size_t k = N; k-- > 0;) {
            const bool own = k + M >= N;
            l.strides[k] = own && from[own ? k + M - N : 0] == to[k] ? l.strides[own ? k + M - N : 0] : 0;
        }
    }
}

template <class Op, class Compute, class... Args>
struct lowering<elementwise<Op, Compute, Args...>> {
    using node = elementwise<Op, Compute, Args...>;
    static constexpr int inputs = (0 + ... + input_count<Args>);

    template <int Slot>
    static auto lower(const node& e, input_layout* layouts) {
        return lower<Slot>(e, layouts, std::index_sequence_for<Args...>{});
    }

private:
    template <std::size_t I>
    static constexpr int first_input() {
        constexpr std::array<int, sizeof...(Args)> counts{input_count<Args>...};
        int n = 0;
        for (std::size_t k = 0; k < I; ++k) n += counts[k];
        return n;
    }
    template <int Slot, class Arg>
    static auto lower_argument(const node& e, const Arg& arg, input_layout* layouts) {
        auto body = detail::lower<Slot>(arg, layouts);
        if constexpr (input_count<Arg> > 0)
            broadcast_layouts(std::span(layouts + Slot, input_count<Arg>), arg.shape(), e.shape());
        return body;
    }
    template <int Slot, std::size_t... I>
    static auto lower(const node& e, input_layout* layouts, std::index_sequence<I...>) {
        return apply_body<Op, Compute, decltype(lower_argument<Slot + first_input<I>()>(e, std::get<I>(e.args), layouts))...>{
            e.op, {lower_argument<Slot + first_input<I>()>(e, std::get<I>(e.args), layouts)...}};
    }
};

// ---- views

template <class E, int N>
struct lowering<view<E, N>> {
    static constexpr int inputs = input_count<E>;
    template <int Slot>
    static auto lower(const view<E, N>& v, input_layout* layouts) {
        auto body = detail::lower<Slot>(v.operand, layouts);
        for (input_layout& l : std::span(layouts + Slot, inputs)) {
            std::int64_t strides[max_rank] = {}, offset = 0;
            for (std::size_t j = 0; j < E::rank; ++j) {
                offset += v.map.start[j] * l.strides[j];
                if (v.map.from[j] >= 0) strides[v.map.from[j]] += v.map.step[j] * l.strides[j];
            }
            std::copy(strides, strides + max_rank, l.strides);
            l.base = displaced(l.base, offset * (l.element_bytes == 0 ? 1 : l.element_bytes));
            l.flat = false;
        }
        return body;
    }
};

/// Changes strides over `from` into strides over `to`, shapes with equal element counts.
/// False where that needs a copy: the elements of one axis of `to` are not evenly spaced.
bool reshape_strides(extents from, extents to, std::int64_t* strides);

template <class E, int N>
struct lowering<reshaped<E, N>> {
    static constexpr int inputs = input_count<E>;
    template <int Slot>
    static auto lower(const reshaped<E, N>& r, input_layout* layouts) {
        auto body = detail::lower<Slot>(r.operand, layouts);
        for (input_layout& l : std::span(layouts + Slot, inputs))
            if (!reshape_strides(r.operand.shape(), r.extents, l.strides)) layouts[0].irregular = true;
        return body;
    }
};

} // namespace sinter::detail

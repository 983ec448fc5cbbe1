// sinter/fuse/share.hpp -- stage 3: a subexpression that is written twice is computed once.
//
// `auto d = log(s / k); y = d * d;` holds d twice. Both have one type, but so have x * x and y * y: whether they are the same
// is known when the expression runs. So a kernel is made for each: in that for equal subexpressions, the second
// reads the inputs of the first, and the compiler, which inlines both, computes one. Only for subexpressions that cost
// more than reading their inputs.
#pragma once

#include <vector>

#include <sinter/fuse/lower.hpp>
#include <sinter/fuse/split.hpp>

namespace sinter::detail {

// ---- whether two nodes of one type are the same

template <class T, int N>
bool same_node(const tensor<T, N>& a, const tensor<T, N>& b) {
    return a.storage() == b.storage() && same_shape(a.shape(), b.shape());
}
template <class T>
bool same_node(const constant<T>& a, const constant<T>& b) {
    return std::memcmp(&a.value, &b.value, sizeof(T)) == 0;
}
template <class G, int N>
bool same_node(const generated<G, N>& a, const generated<G, N>& b) {
    return a.generator == b.generator && same_shape(a.extents, b.extents);
}
template <class Op, class Compute, class... Args>
bool same_node(const elementwise<Op, Compute, Args...>& a, const elementwise<Op, Compute, Args...>& b);
template <class E, int N>
bool same_node(const reshaped<E, N>& a, const reshaped<E, N>& b);
template <class E, int N>
bool same_node(const view<E, N>& a, const view<E, N>& b) {
    return same_shape(a.extents, b.extents) && a.map == b.map && same_node(a.operand, b.operand);
}
template <class E, int N>
bool same_node(const reshaped<E, N>& a, const reshaped<E, N>& b) {
    return same_shape(a.extents, b.extents) && same_node(a.operand, b.operand);
}
template <class Op, class Compute, class... Args>
bool same_node(const elementwise<Op, Compute, Args...>& a, const elementwise<Op, Compute, Args...>& b) {
    if constexpr (!std::is_empty_v<Op>) {
        return false; // functions with a state cannot be compared
    } else {
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return (same_node(std::get<I>(a.args), std::get<I>(b.args)) && ...);
        }(std::index_sequence_for<Args...>{});
    }
}

// ---- subexpressions of one type

/// A number for each type, of the compiler's spelling of it (FNV-1a). Addresses would do, if g++ let them be compared at
/// compile time under -fsanitize=undefined.
template <class E>
constexpr std::uint64_t spelling_hash() {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char* c = __PRETTY_FUNCTION__; *c != 0; ++c) hash = (hash ^ static_cast<unsigned char>(*c)) * 0x100000001b3;
    return hash;
}
template <class E>
inline constexpr std::uint64_t type_tag = spelling_hash<E>();

/// Rough cycles of a node's own operation and all below it.
template <class E>
inline constexpr int node_cost = 0;
template <class Op, class Compute, class... Args>
inline constexpr int node_cost<elementwise<Op, Compute, Args...>> = (Op::cost + ... + node_cost<Args>);
template <class E, int N>
inline constexpr int node_cost<view<E, N>> = node_cost<E>;
template <class E, int N>
inline constexpr int node_cost<reshaped<E, N>> = node_cost<E>;

/// Worth sharing: at least one elementary function.
template <class E>
inline constexpr bool is_costly = node_cost<E> >= 16;

/// The costly subexpressions of E, outermost first, and which inputs are one if those of one type are the same.
template <class E>
struct repeats {
    struct found {
        std::uint64_t tag;
        int first, index;
    };
    static constexpr int slots = input_count<E>;
    struct result {
        std::array<int, slots + 1> canonical{}; // the input that stands for each
        int repeated = 0;
    };

    static constexpr result find() {
        result r;
        for (int k = 0; k < slots; ++k) r.canonical[k] = k;
        std::vector<found> seen;
        visit<E>(r, seen, 0);
        return r;
    }
    template <class X>
    static constexpr void visit(result& r, std::vector<found>& seen, int first) {
        if constexpr (is_costly<X>) {
            for (const found& f : seen) {
                if (f.tag != type_tag<X>) continue;
                for (int k = 0; k < input_count<X>; ++k) r.canonical[first + k] = r.canonical[f.first + k];
                ++r.repeated;
                return;
            }
            seen.push_back({type_tag<X>, first, 0});
            visit_operands(r, seen, first, static_cast<X*>(nullptr));
        }
    }
    template <class Op, class Compute, class... Args>
    static constexpr void visit_operands(result& r, std::vector<found>& seen, int first, elementwise<Op, Compute, Args...>*) {
        ((visit<Args>(r, seen, first), first += input_count<Args>), ...);
    }
    template <class X, int N>
    static constexpr void visit_operands(result& r, std::vector<found>& seen, int first, view<X, N>*) {
        visit<X>(r, seen, first);
    }
    template <class X, int N>
    static constexpr void visit_operands(result& r, std::vector<found>& seen, int first, reshaped<X, N>*) {
        visit<X>(r, seen, first);
    }

    static constexpr result all = find();
    static constexpr bool any = all.repeated > 0;
};

/// Whether the costly subexpressions of one type in e are the same, so that the kernel of repeats<E> computes e.
class repeat_check {
public:
    template <class E>
    bool operator()(const E& e) {
        if constexpr (!is_costly<E>) {
            return true;
        } else {
            for (const auto& [tag, node] : seen_)
                if (tag == type_tag<E>) return same_node(*static_cast<const E*>(node), e);
            seen_.emplace_back(type_tag<E>, &e);
            bool same = true;
            structure<E>::for_operands(e, [&](const auto& operand) { same = same && (*this)(operand); });
            return same;
        }
    }

private:
    std::vector<std::pair<std::uint64_t, const void*>> seen_;
};

// ---- the body that reads each input once

template <class R, class T, int Slot>
constexpr auto with_canonical_inputs(const load_body<T, Slot>&) {
    return load_body<T, R::all.canonical[Slot]>{};
}
template <class R, class G, int Slot>
constexpr auto with_canonical_inputs(const generate_body<G, Slot>& b) {
    return generate_body<G, R::all.canonical[Slot]>{b.generator};
}
template <class R, class T>
constexpr auto with_canonical_inputs(const constant_body<T>& b) {
    return b;
}
template <class R, class Op, class Compute, class... Args>
constexpr auto with_canonical_inputs(const apply_body<Op, Compute, Args...>& b) {
    return std::apply(
        [&](const auto&... a) {
            return apply_body<Op, Compute, decltype(with_canonical_inputs<R>(a))...>{b.op, {with_canonical_inputs<R>(a)...}};
        },
        b.args);
}

} // namespace sinter::detail

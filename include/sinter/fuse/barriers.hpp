// sinter/fuse/barriers.hpp -- stage 2: what cannot join a kernel with what uses it, evaluated: reductions and contractions.
#pragma once

#include <sinter/expr/contract.hpp>
#include <sinter/fuse/eval.hpp>

namespace sinter::detail {

template <class R, class E, reduced_axes Axes>
auto evaluate(const reduction<R, E, Axes>& r) {
    using node = reduction<R, E, Axes>;
    tensor<typename node::value_type, node::rank> result(r.shape());
    with_lowered(r.operand, buffer{}, 0, [&](const auto& e, const auto& body, std::span<input_layout> layouts, std::int64_t) {
        constexpr int slots = input_count<std::remove_cvref_t<decltype(e)>>;
        run_reduction(reduce_kernel_of<slots, R, std::remove_cvref_t<decltype(body)>>(), &body, layouts, e.shape(), Axes.bits,
                      result.mutable_data());
    });
    return result;
}

/// Matrices in memory: the strides, in elements, of the axes before the last two, of rows and of columns.
struct matrices {
    const void* base = nullptr;
    std::int64_t strides[max_rank] = {};
};

/// c = a b for every matrix of `shape`, whose last two axes are those of a matrix of c, row-major and contiguous.
/// Strides of a and b are given over all axes of `shape`; `inner` is K. See lib/contract.cpp.
void multiply(dtype type, extents shape, std::int64_t inner, const matrices& a, const matrices& b, void* c);

/// Whether a product can read a matrix with these strides: one of them 1, the other no less than a row.
bool readable_matrix(std::int64_t rows, std::int64_t columns, std::int64_t row_stride, std::int64_t column_stride);

/// Calls f with the matrices of e over `Rank` axes: the tensor that e is a view of where that can be read, otherwise e evaluated.
template <int Rank, class E, class F>
void with_matrices(const E& e, F&& f) {
    const auto rest = split(e);
    using node = std::remove_cvref_t<decltype(rest)>;
    const auto call = [&](const input_layout& l) {
        matrices m{l.base, {}};
        for (int k = 0; k < E::rank; ++k) {
            const bool repeated = k < E::rank - 2 && e.shape()[k] == 1;
            m.strides[k + Rank - E::rank] = repeated ? 0 : l.strides[k];
        }
        f(m);
    };
    if constexpr (input_count<node> == 1) {
        input_layout l;
        using body = decltype(lower<0>(rest, &l));
        if constexpr (std::is_same_v<body, load_body<typename E::value_type, 0>>) {
            lower<0>(rest, &l);
            const auto& shape = e.shape();
            if (!l.irregular && readable_matrix(shape[E::rank - 2], shape[E::rank - 1], l.strides[E::rank - 2], l.strides[E::rank - 1]))
                return call(l);
        }
    }
    const tensor<typename E::value_type, E::rank> values(rest);
    input_layout l;
    lower<0>(values, &l);
    call(l);
}

template <class A, class B, bool Row, bool Column>
auto evaluate(const product<A, B, Row, Column>& p) {
    using node = product<A, B, Row, Column>;
    using T = typename node::value_type;
    tensor<T, node::rank> result(p.shape());
    with_matrices<node::whole_rank>(p.a, [&](const matrices& a) {
        with_matrices<node::whole_rank>(p.b, [&](const matrices& b) {
            multiply(dtype_of<T>(), p.whole, p.a.shape()[A::rank - 1], a, b, result.mutable_data());
        });
    });
    return result;
}

} // namespace sinter::detail

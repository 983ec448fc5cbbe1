// sinter/expr/contract.hpp -- stage 1: matrix products.
#pragma once

#include <sinter/expr/map.hpp>
#include <sinter/expr/view.hpp>

namespace sinter {
namespace detail {

[[noreturn]] void throw_no_product(extents a, extents b);

/// The product of matrices in the last two axes, the axes before them broadcast. A barrier.
/// Row, Column: a is one row, b one column, made from a vector, whose axis the result does not have.
template <class A, class B, bool Row, bool Column>
struct product : expression_base {
    using value_type = typename A::value_type;
    static constexpr int whole_rank = std::max(A::rank, B::rank);
    static constexpr int rank = whole_rank - Row - Column;
    static constexpr bool is_barrier = true;

    A a;
    B b;
    sinter::shape<whole_rank> whole{}; // with the axes that the result does not have
    sinter::shape<rank> extents{};

    product(A x, B y) : a(std::move(x)), b(std::move(y)) {
        const auto p = a.shape();
        const auto q = b.shape();
        if (p[A::rank - 1] != q[B::rank - 2]) throw_no_product(p, q);
        std::array<std::int64_t, A::rank - 2> batch_a;
        std::array<std::int64_t, B::rank - 2> batch_b;
        std::copy_n(p.begin(), batch_a.size(), batch_a.begin());
        std::copy_n(q.begin(), batch_b.size(), batch_b.begin());
        const auto batch = broadcast_shapes("matmul (axes before the last two)", batch_a, batch_b);
        std::copy(batch.begin(), batch.end(), whole.begin());
        whole[whole_rank - 2] = p[A::rank - 2];
        whole[whole_rank - 1] = q[B::rank - 1];
        int out = 0;
        for (int k = 0; k < whole_rank; ++k)
            if (!(Row && k == whole_rank - 2) && !(Column && k == whole_rank - 1)) extents[out++] = whole[k];
        element_count(extents, sizeof(value_type));
    }
    const sinter::shape<rank>& shape() const { return extents; }
};

/// An operand of a product as a matrix of type T.
template <class T, bool First, class E>
auto as_matrix(E&& e) {
    const auto typed = [](auto&& x) {
        if constexpr (std::is_same_v<value_type<decltype(x)>, T>)
            return std::remove_cvref_t<decltype(x)>(std::forward<decltype(x)>(x));
        else
            return cast<T>(std::forward<decltype(x)>(x));
    };
    if constexpr (rank<E> == 1)
        return typed(expand_dims<First ? 0 : 1>(std::forward<E>(e)));
    else
        return typed(std::forward<E>(e));
}

} // namespace detail

/// The matrix product, as NumPy's matmul: of the last two axes, with the axes before them broadcast; a vector in front is a row,
/// a vector behind a column, and the result has no axis for it. No inner extent (K = 0) gives zeros.
/// float and double by BLAS, integers by loops, which wrap. Throws shape_error when the inner extents differ.
template <expression A, expression B>
auto matmul(A&& a, B&& b) {
    static_assert(rank<A> > 0 && rank<B> > 0, "sinter: matmul takes vectors and matrices: multiply by a rank-0 tensor with *");
    using T = promote<value_type<A>, value_type<B>>;
    static_assert(!std::is_same_v<T, bool>, "sinter: matmul takes numbers, and these operands are bool: use sinter::cast<int>(x)");
    auto p = detail::as_matrix<T, true>(std::forward<A>(a));
    auto q = detail::as_matrix<T, false>(std::forward<B>(b));
    return detail::product<decltype(p), decltype(q), rank<A> == 1, rank<B> == 1>(std::move(p), std::move(q));
}

} // namespace sinter

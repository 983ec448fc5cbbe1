// sinter/fuse/write.hpp -- stage 3: writing into a slice: x.at(1, all) = e.
#pragma once

#include <sinter/fuse/barriers.hpp>

namespace sinter::detail {

/// What x.at(index…) returns. It lives only as long as the statement, and writes when something is assigned to it.
template <class T, int N, class... Index>
class slice_writer {
public:
    slice_writer(tensor<T, N>& target, const Index&... index) : target_(target), slice_(target.shape(), index...) {}
    slice_writer(const slice_writer&) = delete;

    /// Writes e, which broadcasts to the slice. Throws shape_error where it does not.
    template <operand E>
    void operator=(E&& e) && {
        write(std::forward<E>(e));
    }
    /// Refused: the proxy has no life of its own.
    template <operand E>
    void operator=(E&&) & {
        static_assert(!operand<E>, "sinter: what x.at(...) returns cannot be kept: write x.at(...) = e in one statement");
    }
    /// x.at(…) = y.at(…) would copy the proxy: read with y(…) instead.
    void operator=(const slice_writer&) = delete;

    template <operand E>
    void operator+=(E&& e) && {
        write(read() + std::forward<E>(e));
    }
    template <operand E>
    void operator-=(E&& e) && {
        write(read() - std::forward<E>(e));
    }
    template <operand E>
    void operator*=(E&& e) && {
        write(read() * std::forward<E>(e));
    }
    template <operand E>
    void operator/=(E&& e) && {
        write(read() / std::forward<E>(e));
    }

private:
    using sliced_type = sliced<N, Index...>;
    static constexpr int rank = sliced_type::rank;

    auto read() const { return view<tensor<T, N>, rank>{{}, target_, slice_.extents, slice_.map}; }

    template <class E>
    void write(E&& given) {
        if constexpr (scalar<std::remove_cvref_t<E>>) {
            run(constant<T>(static_cast<T>(given)), 0, true);
        } else {
            using node = std::remove_cvref_t<E>;
            static_assert(node::rank <= rank, "sinter: x.at(...) = e: e has more axes than the slice");
            static_assert(std::is_same_v<typename node::value_type, T>,
                          "sinter: x.at(...) = e: the element types differ: use sinter::cast<T>(e)");
            const auto shape = given.shape();
            if (broadcast_shapes("x.at(...) = e", slice_.extents, shape) != slice_.extents)
                throw_shape_mismatch("x.at(...) = e", shape, slice_.extents);
            run(given, shares_of(given, target_.storage()), !std::is_lvalue_reference_v<E>);
        }
    }

    template <class E>
    void run(const E& given, std::int64_t shares, bool temporary) {
        // Others see the values that they had: only a temporary expression lets its operands be overwritten.
        if (target_.storage().owners() > 1 + (temporary ? shares : 0)) target_.make_unique();
        const auto whole = broadcast_to(given, slice_.extents);
        with_lowered(whole, target_.storage(), 0,
                     [&](const auto& e, const auto& body, std::span<input_layout> layouts, std::int64_t) {
                         constexpr int slots = input_count<std::remove_cvref_t<decltype(e)>>;
                         std::int64_t strides[max_rank] = {}, offset = 0;
                         const auto all_strides = row_major(target_.shape());
                         for (std::size_t j = 0; j < N; ++j) {
                             offset += slice_.map.start[j] * all_strides[j];
                             if (slice_.map.from[j] >= 0) strides[slice_.map.from[j]] = slice_.map.step[j] * all_strides[j];
                         }
                         T* const base = target_.mutable_data() + offset;
                         if (in_place(layouts, target_.storage(), base, slice_.extents, strides)) {
                             run_kernel<slots>(body, layouts, slice_.extents, base, strides, false);
                         } else {
                             const tensor<T, rank> values(e); // read all before anything is written
                             run(values, 0, true);
                         }
                     });
    }

    tensor<T, N>& target_;
    sliced_type slice_;
};

} // namespace sinter::detail

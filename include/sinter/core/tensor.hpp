// sinter/core/tensor.hpp -- tensor<T, N>: evaluated values, row-major, shared until written.
//
// A tensor is also the leaf of expressions. What it needs of the later stages (evaluating, slicing, printing) is declared
// here and defined in fuse/eval.hpp and expr/view.hpp.
#pragma once

#include <concepts>
#include <cstring>
#include <initializer_list>
#include <span>

#include <sinter/core/buffer.hpp>
#include <sinter/core/device.hpp>
#include <sinter/core/dtype.hpp>
#include <sinter/core/shape.hpp>
#include <sinter/expr/concepts.hpp>

namespace sinter {

template <class T, int N>
class tensor;

namespace detail {

template <class T, int N>
struct nested {
    using list = std::initializer_list<typename nested<T, N - 1>::list>;
};
template <class T>
struct nested<T, 1> {
    using list = std::initializer_list<T>;
};
template <class T>
struct nested<T, 0> {
    struct list {};
};

[[noreturn]] void throw_ragged(std::int64_t given, std::int64_t wanted);
[[noreturn]] void throw_index(std::int64_t index, int axis, std::int64_t extent);

/// The position of a possibly negative index. Throws index_error.
inline std::int64_t checked_index(std::int64_t index, int axis, std::int64_t extent) {
    const std::int64_t i = index < 0 ? index + extent : index;
    if (i < 0 || i >= extent) throw_index(index, axis, extent);
    return i;
}

/// Evaluates e into target: fuse/eval.hpp.
template <class T, int N, class E>
void assign(tensor<T, N>& target, E&& e);
template <class T, int N, class E>
void assign_same_shape(tensor<T, N>& target, E&& e);

/// A slice that can be written: expr/view.hpp.
template <class T, int N, class... Index>
class slice_writer;
template <class E, class... Index>
auto slice(E&& e, const Index&... index);

template <class I>
inline constexpr bool is_index = std::is_integral_v<std::remove_cvref_t<I>> && !std::is_same_v<std::remove_cvref_t<I>, bool>;

} // namespace detail

/// Values of type T along N axes, row-major. Copies share memory until one of them writes.
/// A default tensor has extents 0 (rank 0: the value 0).
template <class T, int N>
class tensor : public expression_base {
    static_assert(element<T>, "sinter: a tensor holds bool, int8 … int64, uint8 … uint64, float or double");
    static_assert(N >= 0 && N <= max_rank, "sinter: the rank of a tensor is 0 to 8");

public:
    using value_type = T;
    static constexpr int rank = N;

    tensor() : tensor(sinter::shape<N>{}) {
        if constexpr (N == 0) *mutable_data() = T{};
    }

    /// Uninitialised elements. Throws shape_error for a negative extent or an overflowing product.
    explicit tensor(const sinter::shape<N>& shape)
        : extents_(shape), buffer_(static_cast<std::size_t>(detail::element_count(shape, sizeof(T))) * sizeof(T)) {}

    /// The values of nested braces: tensor<float, 2>{{1, 2}, {3, 4}}. Throws shape_error when rows differ in length.
    tensor(typename detail::nested<T, N>::list values)
        requires(N > 0)
        : tensor(shape_of(values)) {
        T* to = mutable_data();
        fill<N>(values, 0, to);
    }

    /// A rank-0 tensor of one value.
    tensor(T value)
        requires(N == 0)
        : tensor(sinter::shape<0>{}) {
        *mutable_data() = value;
    }

    /// Runs the expression: one fused kernel.
    template <expression E>
        requires(!std::same_as<std::remove_cvref_t<E>, tensor>)
    tensor(E&& e) : extents_{}, buffer_{} {
        detail::assign(*this, std::forward<E>(e));
    }
    template <expression E>
        requires(!std::same_as<std::remove_cvref_t<E>, tensor>)
    tensor& operator=(E&& e) {
        detail::assign(*this, std::forward<E>(e));
        return *this;
    }

    /// In place. Throw shape_error when e has another shape and does not broadcast to this one.
    template <operand E>
    tensor& operator+=(E&& e) {
        detail::assign_same_shape(*this, *this + std::forward<E>(e));
        return *this;
    }
    template <operand E>
    tensor& operator-=(E&& e) {
        detail::assign_same_shape(*this, *this - std::forward<E>(e));
        return *this;
    }
    template <operand E>
    tensor& operator*=(E&& e) {
        detail::assign_same_shape(*this, *this * std::forward<E>(e));
        return *this;
    }
    template <operand E>
    tensor& operator/=(E&& e) {
        detail::assign_same_shape(*this, *this / std::forward<E>(e));
        return *this;
    }

    const sinter::shape<N>& shape() const { return extents_; }
    std::int64_t size() const {
        std::int64_t n = 1;
        for (auto extent : extents_) n *= extent;
        return n;
    }
    sinter::device device() const { return cpu; }

    /// The same values on another device. Throws device_error when it is not there.
    tensor to(sinter::device d) const {
        detail::require_usable(d);
        return *this;
    }

    /// The values in row-major order. The non-const form makes the memory unique first.
    std::span<const T> span() const { return {data(), static_cast<std::size_t>(size())}; }
    std::span<T> span() {
        make_unique();
        return {mutable_data(), static_cast<std::size_t>(size())};
    }
    const T* data() const { return static_cast<const T*>(buffer_.data()); }

    /// One value; negative indices count from the end. Throws index_error.
    template <class... I>
        requires(sizeof...(I) == N && (detail::is_index<I> && ...))
    T operator()(I... index) const {
        return data()[offset(index...)];
    }

    /// A slice, lazily: integers, range(from, to, step), all, newaxis.
    template <class... I>
        requires(sizeof...(I) > 0 && !(sizeof...(I) == N && (detail::is_index<I> && ...)))
    auto operator()(const I&... index) const {
        return detail::slice(*this, index...);
    }

    /// A slice (or with N integers one element) to write into: x.at(1, all) = e.
    template <class... I>
    auto at(const I&... index) {
        return detail::slice_writer<T, N, I...>(*this, index...);
    }

    // For the later stages.
    const detail::buffer& storage() const { return buffer_; }
    T* mutable_data() { return static_cast<T*>(buffer_.data()); }
    void make_unique() {
        if (buffer_.owners() <= 1) return;
        detail::buffer own(buffer_.bytes());
        if (buffer_.bytes() > 0) std::memcpy(own.data(), buffer_.data(), buffer_.bytes());
        buffer_ = std::move(own);
    }

    /// Memory as a tensor; `storage` holds as many elements as shape says.
    tensor(const sinter::shape<N>& shape, detail::buffer storage) : extents_(shape), buffer_(std::move(storage)) {}

private:
    template <class... I>
    std::int64_t offset(I... index) const {
        std::int64_t at = 0;
        int axis = 0;
        ((at = at * extents_[axis] + detail::checked_index(static_cast<std::int64_t>(index), axis, extents_[axis]), ++axis), ...);
        return at;
    }

    template <class List>
    static sinter::shape<N> shape_of(const List& values) {
        sinter::shape<N> r{};
        measure<N>(values, 0, r);
        return r;
    }
    template <int Depth, class List>
    static void measure(const List& values, std::size_t axis, sinter::shape<N>& shape) {
        shape[axis] = static_cast<std::int64_t>(values.size());
        if constexpr (Depth > 1) {
            if (values.size() > 0) measure<Depth - 1>(*values.begin(), axis + 1, shape);
        }
    }
    template <int Depth, class List>
    void fill(const List& values, std::size_t axis, T*& to) {
        if (static_cast<std::int64_t>(values.size()) != extents_[axis])
            detail::throw_ragged(static_cast<std::int64_t>(values.size()), extents_[axis]);
        for (const auto& v : values) {
            if constexpr (Depth > 1)
                fill<Depth - 1>(v, axis + 1, to);
            else
                *to++ = v;
        }
    }

    sinter::shape<N> extents_;
    detail::buffer buffer_;
};

} // namespace sinter

// tests/support/tensors.hpp -- what tests share: values of expressions, exact comparison, special values, layouts.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <sinter/sinter.hpp>

namespace sn = sinter;
using sn::all, sn::axis, sn::keepdims, sn::newaxis, sn::open, sn::range;

/// The evaluated elements of an expression, in row-major order. (A vector of char for bool, whose vector is special.)
template <class T>
using element_vector = std::vector<std::conditional_t<std::is_same_v<T, bool>, char, T>>;
template <class E>
auto values_of(const E& e) {
    using T = typename E::value_type;
    const sn::tensor<T, E::rank> t = e;
    return element_vector<T>(t.span().begin(), t.span().end());
}

/// Equal bits, except that every NaN equals every NaN.
template <class T>
bool same_value(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
        if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
        return a == b && std::signbit(a) == std::signbit(b);
    } else {
        return a == b;
    }
}

template <class T>
std::string shown(T value) {
    std::ostringstream s;
    s.precision(17);
    s << +value;
    return s.str();
}

/// Checks all elements, and shows the first that differs.
template <class T>
void check_same(const std::vector<T>& given, const std::vector<T>& wanted, const std::string& what) {
    CHECK_MESSAGE(given.size() == wanted.size(), what);
    for (std::size_t i = 0; i < std::min(given.size(), wanted.size()); ++i) {
        if (same_value(given[i], wanted[i])) continue;
        CHECK_MESSAGE(false, what, ": element ", i, " is ", shown(given[i]), ", not ", shown(wanted[i]));
        return;
    }
}
template <class E>
void check_values(const E& e, const element_vector<typename E::value_type>& wanted, const std::string& what = "") {
    check_same(values_of(e), wanted, what);
}
template <int N>
void check_shape(const sn::shape<N>& given, const sn::shape<N>& wanted) {
    CHECK(given == wanted);
}

/// What an error says, or "" when nothing was thrown.
template <class Error = sn::error, class F>
std::string message_of(F f) {
    try {
        f();
    } catch (const Error& e) {
        return e.what();
    }
    return "";
}

/// Values at which operations go wrong.
template <class T>
std::vector<T> special_values() {
    using limits = std::numeric_limits<T>;
    if constexpr (std::is_same_v<T, bool>) {
        return {false, true};
    } else if constexpr (std::is_integral_v<T>) {
        std::vector<T> r{0, 1, 2, 3, 5, 7, 8, 16, 31, 32, 63, 64, 100, limits::max(), T(limits::max() - 1), T(limits::max() / 2), limits::min()};
        if constexpr (std::is_signed_v<T>) r.insert(r.end(), {T(-1), T(-2), T(-3), T(-7), T(-8), T(-100), T(limits::min() + 1)});
        return r;
    } else {
        std::vector<T> r;
        for (const T v : {T(0), T(0.1), T(0.5), T(1), T(1.5), T(2), T(2.5), T(3), T(4.4), T(7), T(1e4), T(8388607.5), T(16777216), T(1e19), T(3e38),
                          limits::max(), limits::min(), limits::denorm_min(), limits::infinity()}) {
            r.push_back(v);
            r.push_back(-v);
        }
        r.push_back(limits::quiet_NaN());
        return r;
    }
}

/// Random values over the whole type: for floating point, of magnitudes around 1 and of any.
template <class T>
T random_value(std::mt19937_64& random) {
    if constexpr (std::is_same_v<T, bool>) {
        return random() % 2 == 1;
    } else if constexpr (std::is_integral_v<T>) {
        return random() % 2 ? static_cast<T>(random()) : static_cast<T>(random() % 20);
    } else {
        const T unit = static_cast<T>(random() % 2000001) / T(1000000) - 1;
        return random() % 4 ? unit * 8 : std::ldexp(unit, static_cast<int>(random() % 60) - 30);
    }
}

/// A value of every kind of layout, all of one static type, with its elements.
template <class T>
struct layout_case {
    std::string name;
    sn::detail::view<sn::tensor<T, 2>, 2> e;
    std::vector<T> values; // row-major
};

/// `Make(i)` gives the i-th value of the memory behind the views.
template <class T, class Make>
std::vector<layout_case<T>> layouts(std::int64_t rows, std::int64_t columns, Make make) {
    std::vector<layout_case<T>> r;
    const auto base = [&](std::int64_t m, std::int64_t n) {
        sn::tensor<T, 2> t(sn::shape<2>{m, n});
        T* to = t.mutable_data();
        for (std::int64_t i = 0; i < m * n; ++i) to[i] = make(i);
        return t;
    };
    // `at(i, j)` is the position in memory, said without sinter.
    const auto add = [&](std::string name, const sn::tensor<T, 2>& memory, auto view, auto at) {
        layout_case<T> c{std::move(name), view, {}};
        for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t j = 0; j < columns; ++j) c.values.push_back(memory.data()[at(i, j)]);
        r.push_back(std::move(c));
    };
    const auto plain = base(rows, columns);
    add("contiguous", plain, sn::slice(plain, all), [&](auto i, auto j) { return i * columns + j; });
    const auto turned = base(columns, rows);
    add("transposed", turned, sn::transpose(turned), [&](auto i, auto j) { return j * rows + i; });
    const auto wide = base(2 * rows + 1, 3 * columns + 2);
    add("strided", wide, sn::slice(wide, range(1, 1 + 2 * rows, 2), range(2, 2 + 3 * columns, 3)),
        [&](auto i, auto j) { return (1 + 2 * i) * (3 * columns + 2) + 2 + 3 * j; });
    add("sliced", wide, sn::slice(wide, range(1, 1 + rows), range(1, 1 + columns)),
        [&](auto i, auto j) { return (1 + i) * (3 * columns + 2) + 1 + j; });
    add("reversed", plain, sn::slice(plain, range(open, open, -1), range(open, open, -1)),
        [&](auto i, auto j) { return (rows - 1 - i) * columns + columns - 1 - j; });
    const auto row = base(1, columns);
    add("broadcast along rows", row, sn::broadcast_to(row, sn::shape<2>{rows, columns}), [](auto, auto j) { return j; });
    const auto column = base(rows, 1);
    add("broadcast along columns", column, sn::broadcast_to(column, sn::shape<2>{rows, columns}), [](auto i, auto) { return i; });
    const auto one = base(1, 1);
    add("broadcast from one", one, sn::broadcast_to(one, sn::shape<2>{rows, columns}), [](auto, auto) { return 0; });
    return r;
}

// tests/support/elementwise.hpp -- the suite of the table: an operation over types, layouts and special values, against references.
#pragma once

#include "support/tensors.hpp"

/// What an operation gives for one element, said without sinter: of(a, b, c) for elements of type T.
/// SINTER_REFERENCE(name, …) defines it; a row of the table without one does not compile.
template <class Op>
struct reference;

namespace suite {

/// Integers are referred to in 128 bits and then wrapped; floating point in its own type, where C++ is exact or correctly
/// rounded for what the table calls exact.
template <class T>
using wide = std::conditional_t<std::is_same_v<T, bool>, bool,
                                std::conditional_t<!std::is_integral_v<T>, T, std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>>>;

template <class Op, class T, class... V>
auto expected(V... v) {
    using sn::detail::gives;
    if constexpr (Op::result_type == gives::boolean)
        return static_cast<char>(reference<Op>::template of<T>(static_cast<wide<T>>(v)...));
    else if constexpr (std::is_same_v<T, bool>)
        return static_cast<char>(static_cast<bool>(reference<Op>::template of<T>(static_cast<wide<T>>(v)...)));
    else
        return static_cast<T>(reference<Op>::template of<T>(static_cast<wide<T>>(v)...));
}

/// The operation on three operands, or as many of them as it takes.
template <class Op, class A>
auto apply(const A& a, const A& b, const A& c) {
    if constexpr (Op::args == 1)
        return sn::detail::make_elementwise<Op>(a);
    else if constexpr (Op::args == 2)
        return sn::detail::make_elementwise<Op>(a, b);
    else
        return sn::detail::make_elementwise<Op>(a, b, c);
}
template <class Op, class T, class V>
auto apply_reference(V a, V b, V c) {
    if constexpr (Op::args == 1)
        return expected<Op, T>(a);
    else if constexpr (Op::args == 2)
        return expected<Op, T>(a, b);
    else
        return expected<Op, T>(a, b, c);
}

/// Checks one case: the values of a, b and c are known.
template <class Op, class T, class E, class V>
void check_case(const E& e, const std::vector<V>& a, const std::vector<V>& b, const std::vector<V>& c, const std::string& name) {
    const auto given = values_of(e);
    REQUIRE(given.size() == a.size());
    for (std::size_t i = 0; i < given.size(); ++i) {
        const auto wanted = apply_reference<Op, T, V>(a[i], b[i], c[i]);
        if (same_value<std::remove_const_t<decltype(wanted)>>(given[i], wanted)) continue;
        CHECK_MESSAGE(false, std::string(Op::name), " of ", std::string(sn::name(sn::detail::dtype_of<T>())), ", ", name, ": (", shown(a[i]), ", ", shown(b[i]), ", ",
                      shown(c[i]), ") gives ", shown(given[i]), ", not ", shown(wanted));
        return;
    }
    CHECK(true);
}

/// All pairs (triples are pairs with a third drawn along) of special values, then every layout with every other.
template <class Op, class T>
void check_type() {
    using V = std::conditional_t<std::is_same_v<T, bool>, char, T>;
    const auto make = [](const std::vector<V>& v) {
        sn::tensor<T, 2> t(sn::shape<2>{1, static_cast<std::int64_t>(v.size())});
        std::copy(v.begin(), v.end(), t.mutable_data());
        return sn::slice(t, all);
    };
    const auto special = special_values<T>();
    std::vector<V> a, b, c;
    for (std::size_t i = 0; i < special.size(); ++i)
        for (std::size_t j = 0; j < special.size(); ++j) {
            a.push_back(special[i]);
            b.push_back(special[j]);
            c.push_back(special[(3 * i + 7 * j) % special.size()]);
        }
    check_case<Op, T>(apply<Op>(make(a), make(b), make(c)), a, b, c, "special values");

    std::mt19937_64 random(5);
    for (const auto& [rows, columns] : {std::pair{5, 7}, {3, 130}, {130, 3}, {0, 4}, {4, 0}, {1, 1}}) {
        const auto draw = [&](std::int64_t) { return random_value<T>(random); };
        const auto x = layouts<T>(rows, columns, draw), y = layouts<T>(rows, columns, draw);
        for (std::size_t k = 0; k < x.size(); ++k) {
            const auto &p = x[k], &q = y[(k * 3 + 1) % y.size()], &r = y[(k * 5 + 2) % y.size()];
            const auto chars = [](const auto& v) { return std::vector<V>(v.begin(), v.end()); };
            check_case<Op, T>(apply<Op>(p.e, q.e, r.e), chars(p.values), chars(q.values), chars(r.values),
                              p.name + " with " + q.name + " " + std::to_string(rows) + " x " + std::to_string(columns));
        }
    }
}

template <class Op, class T>
inline constexpr bool takes_type = !std::is_void_v<typename decltype(sn::detail::computed_in<Op::operand_type, T>())::type> &&
                                   (Op::operand_type != sn::detail::takes::floating || std::is_floating_point_v<T>);

template <class Op, class T>
void check_if_taken() {
    if constexpr (takes_type<Op, T>) check_type<Op, T>();
}

/// Every type that the operation takes. Functions with an error bound are checked by tests/host/accuracy.cpp instead.
template <class Op>
void check_operation() {
    check_if_taken<Op, bool>();
    check_if_taken<Op, std::int8_t>();
    check_if_taken<Op, std::int16_t>();
    check_if_taken<Op, std::int32_t>();
    check_if_taken<Op, std::int64_t>();
    check_if_taken<Op, std::uint8_t>();
    check_if_taken<Op, std::uint16_t>();
    check_if_taken<Op, std::uint32_t>();
    check_if_taken<Op, std::uint64_t>();
    check_if_taken<Op, float>();
    check_if_taken<Op, double>();
}

} // namespace suite

#define SINTER_REFERENCE(name, ...)                                                                                    \
    template <>                                                                                                        \
    struct reference<sn::detail::name##_op> {                                                                          \
        template <class T, class X>                                                                                    \
        static auto of([[maybe_unused]] X a, [[maybe_unused]] X b = X(), [[maybe_unused]] X c = X()) {                 \
            return __VA_ARGS__;                                                                                        \
        }                                                                                                              \
    };

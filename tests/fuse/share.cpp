// tests/fuse/share.cpp -- repeated subexpressions: found by type, shared only when they are the same, with the same values.

#include "support/tensors.hpp"

namespace {

template <class E>
constexpr auto repeated(const E&) {
    return sn::detail::repeats<E>::all;
}
template <class E>
bool is_shared(const E& e) {
    return sn::detail::repeats<E>::any && sn::detail::repeat_check{}(e);
}

} // namespace

TEST_CASE("a costly subexpression that is written twice reads its inputs once") {
    const sn::tensor<float, 1> x{1, 2, 3}, y{4, 5, 6};
    const auto d = sn::log(x / y);
    const auto e = d * d + y;
    CHECK(is_shared(e));
    const auto r = repeated(e);
    CHECK(r.repeated == 1);
    CHECK(r.canonical[2] == 0);
    CHECK(r.canonical[3] == 1);
    CHECK(r.canonical[4] == 4);
    std::vector<float> wanted;
    for (int i = 0; i < 3; ++i) wanted.push_back(values_of(d)[static_cast<std::size_t>(i)] * values_of(d)[static_cast<std::size_t>(i)] + y(i));
    for (std::size_t i = 0; i < 3; ++i) CHECK(std::abs(values_of(e)[i] - wanted[i]) < 1e-6f * wanted[i]);
}

TEST_CASE("subexpressions of one type with other operands, constants or views are not shared") {
    const sn::tensor<double, 1> x{1, 2, 3}, y{3, 2, 1};
    CHECK_FALSE(is_shared(sn::exp(x) + sn::exp(y)));
    check_values(sn::exp(x) - sn::exp(y) + (sn::exp(y) - sn::exp(x)), {0, 0, 0});
    CHECK_FALSE(is_shared(sn::exp(x * 2) + sn::exp(x * 3)));
    CHECK_FALSE(is_shared(sn::exp(x(range(0, 2))) + sn::exp(x(range(1, 3)))));
    CHECK(is_shared(sn::exp(x(range(0, 2))) + sn::exp(x(range(0, 2)))));
    CHECK_FALSE(is_shared(sn::sqrt(x) * sn::sqrt(x))); // costs no more than reading
    const double one = values_of(sn::exp(x * 2) / sn::exp(x * 3))[0];
    CHECK(std::abs(one - std::exp(-1.0)) < 1e-15);
    CHECK(is_shared(sn::exp(x * 0.0) + sn::exp(x * 0.0)));
    CHECK_FALSE(is_shared(sn::exp(x * 0.0) + sn::exp(x * -0.0)));
}

TEST_CASE("random numbers are shared when key and shape are") {
    const auto u = [](int seed) { return sn::exp(sn::random::uniform<double>(sn::random::key(static_cast<std::uint64_t>(seed)), 5)); };
    CHECK(is_shared(u(1) - u(1)));
    CHECK_FALSE(is_shared(u(1) - u(2)));
    check_values(u(1) - u(1), {0, 0, 0, 0, 0});
    CHECK(sn::eval(sn::any(u(1) != u(2)))());
}

TEST_CASE("a function with a state is never taken for another") {
    const sn::tensor<float, 1> x{1, 2, 3};
    const auto times = [&](float k) { return sn::map([k](float v) { return v * k; }, x); };
    check_values(times(2) + times(3), {5, 10, 15});
    check_values(sn::exp(times(0)) + sn::exp(times(0)), {2, 2, 2});
}

TEST_CASE("repeats within repeats, in every layout, and under a reduction") {
    std::mt19937_64 random(3);
    const auto draw = [&](std::int64_t) { return static_cast<float>(random() % 100) / 50; };
    const auto p = layouts<float>(13, 70, draw);
    for (std::size_t k = 0; k < p.size(); ++k) {
        const auto& x = p[k];
        const auto& y = p[(k + 3) % p.size()];
        const auto inner = sn::exp(x.e - y.e);
        const auto outer = sn::tanh(inner + inner * x.e);
        const auto e = outer * inner + outer - inner;
        CHECK(is_shared(e));
        const auto given = values_of(e);
        double sum = 0;
        for (std::size_t i = 0; i < given.size(); ++i) {
            const double v = std::exp(double(x.values[i]) - y.values[i]), w = std::tanh(v + v * x.values[i]), wanted = w * v + w - v;
            CHECK(std::abs(given[i] - wanted) < 1e-5 * (1 + std::abs(wanted)));
            sum += wanted;
        }
        CHECK(std::abs(sn::eval(sn::sum(e))() - sum) < 1e-4 * std::abs(sum));
    }
}

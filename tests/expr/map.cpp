// tests/expr/map.cpp -- cast, where, and a user's own function.

#include "support/tensors.hpp"

TEST_CASE("casts of floats to integers truncate and saturate, and NaN gives 0") {
    const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    const sn::tensor<float, 1> x{-1.9f, 1.9f, 300, -300, 1e10f, -1e10f, 1e30f, inf, -inf, nan, 2147483520.f, -2147483648.f};
    check_values(sn::cast<std::int8_t>(x), {-1, 1, 127, -128, 127, -128, 127, 127, -128, 0, 127, -128});
    check_values(sn::cast<std::uint8_t>(x), {0, 1, 255, 0, 255, 0, 255, 255, 0, 0, 255, 0});
    check_values(sn::cast<std::int32_t>(x), {-1, 1, 300, -300, INT32_MAX, INT32_MIN, INT32_MAX, INT32_MAX, INT32_MIN, 0, 2147483520, INT32_MIN});
    check_values(sn::cast<std::uint32_t>(x), {0, 1, 300, 0, UINT32_MAX, 0, UINT32_MAX, UINT32_MAX, 0, 0, 2147483520u, 0});
    check_values(sn::cast<std::int64_t>(x), {-1, 1, 300, -300, 10000000000, -10000000000, INT64_MAX, INT64_MAX, INT64_MIN, 0, 2147483520, -2147483648});
    check_values(sn::cast<std::uint64_t>(x), {0, 1, 300, 0, 10000000000u, 0, UINT64_MAX, UINT64_MAX, 0, 0, 2147483520u, 0});
    const sn::tensor<double, 1> d{9.3e18, -9.3e18, 1.9e19, 4294967295.7, 0.99999999999};
    check_values(sn::cast<std::int64_t>(d), {INT64_MAX, INT64_MIN, INT64_MAX, 4294967295, 0});
    check_values(sn::cast<std::uint64_t>(d), {9300000000000000000u, 0, UINT64_MAX, 4294967295u, 0});
    check_values(sn::cast<std::int16_t>(d), {32767, -32768, 32767, 32767, 0});
}

TEST_CASE("casts between integers wrap, and of anything to bool is: not 0") {
    const sn::tensor<int, 1> x{-1, 256, 65537, 0};
    check_values(sn::cast<std::uint8_t>(x), {255, 0, 1, 0});
    check_values(sn::cast<std::uint64_t>(x), {UINT64_MAX, 256, 65537, 0});
    check_values(sn::cast<bool>(x), {true, true, true, false});
    check_values(sn::cast<bool>(sn::tensor<float, 1>{0.f, -0.f, 0.1f, std::nanf("")}), {false, false, true, true});
    check_values(sn::cast<float>(sn::tensor<bool, 1>{true, false}), {1, 0});
    check_values(sn::cast<std::int8_t>(sn::tensor<bool, 1>{true, false}), {1, 0});
}

TEST_CASE("casts of integers to floats round to nearest") {
    const sn::tensor<std::int64_t, 1> x{INT64_MAX, INT64_MIN, (1LL << 53) + 1, 16777217, -16777219};
    check_values(sn::cast<float>(x), {float(INT64_MAX), float(INT64_MIN), float((1LL << 53) + 1), 16777216.f, -16777220.f});
    check_values(sn::cast<double>(x), {double(INT64_MAX), double(INT64_MIN), double((1LL << 53) + 1), 16777217., -16777219.});
    const sn::tensor<std::uint64_t, 1> u{UINT64_MAX, (1ULL << 63) + 1025};
    check_values(sn::cast<float>(u), {float(UINT64_MAX), float((1ULL << 63) + 1025)});
    check_values(sn::cast<double>(u), {double(UINT64_MAX), double((1ULL << 63) + 1025)});
}

TEST_CASE("where takes conditions, tensors and scalars, and broadcasts all three") {
    const sn::tensor<float, 2> x{{-1, 2}, {3, -4}};
    check_values(sn::where(x > 0, x, 0), {0, 2, 3, 0});
    check_values(sn::where(x > 0, 1.0, -1.0), {-1, 1, 1, -1});
    check_values(sn::where(sn::tensor<bool, 1>{true, false}, x, sn::tensor<float, 2>{{10}, {20}}), {-1, 10, 3, 20});
    CHECK(std::is_same_v<decltype(sn::where(x > 0, x, sn::cast<double>(x)))::value_type, double>);
    const sn::tensor<int, 1> n{0, 5, -1};
    check_values(sn::where(n, 1, 0), {0, 1, 1});
    check_values(sn::where(n == 0, n > 1, n < 0), {false, false, true});
}

TEST_CASE("map calls a generic function with packets, which may use every function of the table") {
    const sn::tensor<float, 1> x = sn::arange<float>(100) - 50;
    const sn::tensor<float, 1> y = sn::map([](auto a, auto b) { return sn::where(a > b, sn::abs(a) * 2, sn::maximum(b, 7) - a); }, x, 0);
    for (int i = 0; i < 100; ++i) {
        const float a = float(i) - 50;
        CHECK(y(i) == (a > 0 ? std::abs(a) * 2 : 7 - a));
    }
}

TEST_CASE("map calls any other function element by element, only with elements") {
    const std::vector<float> table{10, 20, 30, 40, 50};
    for (const std::int64_t n : {1, 5, 16, 17, 100, 1000}) {
        const sn::tensor<std::int64_t, 1> index = sn::arange<std::int64_t>(n) % 5;
        const auto look_up = [&](std::int64_t i) { return table.at(static_cast<std::size_t>(i)); };
        const sn::tensor<float, 1> y = sn::map(look_up, index);
        for (std::int64_t i = 0; i < n; ++i) CHECK(y(i) == table[static_cast<std::size_t>(i % 5)]);
    }
    const std::vector<double> exact(1003, 2.0);
    const sn::tensor<double, 1> positions = sn::map([&](std::int64_t i) { return exact.at(static_cast<std::size_t>(i)); }, sn::arange<std::int64_t>(1003));
    CHECK(values_of(sn::sum(positions)) == std::vector<double>{2006});
    const sn::tensor<double, 0> total = sn::sum(sn::map([&](std::int64_t i) { return exact.at(static_cast<std::size_t>(i)); }, sn::arange<std::int64_t>(1003)));
    CHECK(total() == 2006);
    const sn::tensor<double, 2> turned = sn::map([&](std::int64_t i) { return exact.at(static_cast<std::size_t>(i)); },
                                                 sn::transpose(sn::reshape(sn::arange<std::int64_t>(1003), {17, 59})));
    CHECK(turned(58, 16) == 2);
}

TEST_CASE("map of several types gives the function's own type") {
    const sn::tensor<int, 1> n{1, 2, 3};
    const sn::tensor<double, 1> d{0.5, 0.25, 0.125};
    const auto e = sn::map([](int a, double b) { return a * b; }, n, d);
    CHECK(std::is_same_v<decltype(e)::value_type, double>);
    check_values(e, {0.5, 0.5, 0.375});
    const auto flags = sn::map([](int a) { return a > 1; }, n);
    CHECK(std::is_same_v<decltype(flags)::value_type, bool>);
    check_values(flags, {false, true, true});
    check_values(sn::map([](bool a, int b) { return a ? b : -b; }, n > 1, n), {-1, 2, 3});
}

TEST_CASE("a generic function may use elementary functions, and need not be inlined") {
    const sn::tensor<float, 1> x = sn::arange<float>(200) / 100 - 1;
    const sn::tensor<float, 1> direct = sn::exp(x) * x + sn::tanh(x);
    const auto fused = values_of(sn::map([](auto v) { return sn::exp(v) * v + sn::tanh(v); }, x));
    for (std::size_t i = 0; i < fused.size(); ++i) CHECK(std::abs(fused[i] - direct(static_cast<int>(i))) < 2e-6f);
    const auto far = [](auto v) __attribute__((noinline)) { return sn::sqrt(sn::abs(v)) + sn::erf(v) * 2; };
    const auto given = values_of(sn::map(far, sn::cast<double>(x)));
    for (std::size_t i = 0; i < given.size(); ++i) {
        const double v = static_cast<double>(x(static_cast<int>(i)));
        CHECK(std::abs(given[i] - (std::sqrt(std::abs(v)) + std::erf(v) * 2)) < 1e-15 * 8);
    }
    check_values(sn::map([](auto v) { return sn::log(v) > 0; }, sn::tensor<float, 1>{0.5f, 2, 3}), {false, true, true});
}

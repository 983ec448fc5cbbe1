// tests/reported/peers.cpp -- faults that users of other libraries reported: each case is the input and the right value.

#include "support/tensors.hpp"

TEST_CASE("narrow integers computed as int inside a fused kernel") {
    const sn::tensor<std::uint8_t, 1> u{128};
    check_values(sn::cast<std::int16_t>(u + u), {0});
    const sn::tensor<std::int8_t, 1> s{8};
    check_values((s << 4) >> 4, {-8});
    const sn::tensor<std::uint16_t, 1> w{40000};
    check_values(sn::cast<std::uint32_t>(w + w) / 2, {(80000 % 65536) / 2});
    check_values(sn::cast<std::int32_t>(-u), {128});
    check_values(sn::cast<std::int32_t>(~sn::tensor<std::uint8_t, 1>{1}), {254});
}

TEST_CASE("two expressions of one form with different constants") {
    const sn::tensor<float, 1> x{2};
    const auto affine = [&](float a, float b) { return sn::eval(x * a + b)(0); };
    CHECK(affine(1, 23) == 25);
    CHECK(affine(12, 3) == 27);
    check_values(sn::linspace<float>(0, 1, 5), {0, 0.25f, 0.5f, 0.75f, 1});
    check_values(sn::linspace<float>(0, 10, 5), {0, 2.5f, 5, 7.5f, 10});
}

TEST_CASE("constants at full precision, NaN and infinity") {
    const sn::tensor<double, 1> x{1};
    check_values(x * 0.1234567890123456789, {0.1234567890123456789});
    check_values(x * std::numeric_limits<double>::infinity(), {std::numeric_limits<double>::infinity()});
    check_values(x * std::numeric_limits<double>::quiet_NaN(), {std::numeric_limits<double>::quiet_NaN()});
    check_values(sn::tensor<float, 1>{1} * 16777217.0f, {16777216.0f});
}

TEST_CASE("subnormal numbers are not flushed to zero") {
    const float tiny = std::numeric_limits<float>::denorm_min();
    const sn::tensor<float, 1> x = sn::full<float>(tiny, 100);
    check_values(x * 3, std::vector<float>(100, 3 * tiny));
    check_values(sn::sum(x), {100 * tiny});
}

TEST_CASE("floor_divide from the exact quotient") {
    check_values(sn::floor_divide(sn::tensor<float, 1>{-4.4f}, 0.1f), {-45});
    check_values(sn::floor_divide(sn::tensor<int, 1>{-7, 7, -7, 7}, sn::tensor<int, 1>{2, -2, -2, 0}), {-4, -4, 3, 0});
    check_values(sn::remainder(sn::tensor<int, 1>{-7, 7, -7, 7}, sn::tensor<int, 1>{2, -2, -2, 0}), {1, -1, -1, 0});
    check_values(sn::remainder(sn::tensor<float, 1>{-7, 7, 0.f}, sn::tensor<float, 1>{2, -2, -3}), {1, -1, -0.f});
    check_values(sn::floor_divide(sn::tensor<double, 1>{5, -5}, std::numeric_limits<double>::infinity()), {0, -1});
}

TEST_CASE("integer division by zero, and the least integer by -1") {
    const sn::tensor<int, 1> a{1, 0, INT32_MIN, INT32_MIN, -7}, b{0, 0, -1, 0, 2};
    check_values(a / b, {0, 0, INT32_MIN, 0, -3});
    check_values(a % b, {0, 0, 0, 0, -1});
    check_values(sn::floor_divide(a, b), {0, 0, INT32_MIN, 0, -4});
    check_values(sn::tensor<std::uint8_t, 1>{200} / sn::tensor<std::uint8_t, 1>{0}, {0});
}

TEST_CASE("shifts by the width or more, and by negative counts") {
    const sn::tensor<int, 1> x{1, -8, 5};
    check_values(x << 32, {0, 0, 0});
    check_values(x >> 40, {0, -1, 0});
    check_values(x << sn::tensor<int, 1>{31, 1, -1}, {INT32_MIN, -16, 0});
    check_values(sn::tensor<std::uint32_t, 1>{0x80000000u} >> 32, {0u});
}

TEST_CASE("minimum and maximum propagate NaN and order signed zeros") {
    const float nan = std::nanf("");
    const sn::tensor<float, 1> a{1, nan, 3, 0.f, -0.f}, b{nan, 2, 1, -0.f, 0.f};
    check_values(sn::minimum(a, b), {nan, nan, 1, -0.f, -0.f});
    check_values(sn::maximum(a, b), {nan, nan, 3, 0.f, 0.f});
    check_values(sn::clamp(a, 0, 2), {1, nan, 2, 0.f, 0.f});
    check_values(sn::relu(sn::tensor<float, 1>{-1, 2, nan}), {0, 2, nan});
}

TEST_CASE("mixed signs compare by value") {
    const sn::tensor<std::int64_t, 1> s{-1, -1, INT64_MAX, 5};
    const sn::tensor<std::uint64_t, 1> u{0, UINT64_MAX, std::uint64_t{1} << 63, 5};
    check_values(s < u, {true, true, true, false});
    check_values(u > s, {true, true, true, false});
    check_values(s == u, {false, false, false, true});
    check_values(u >= s, {true, true, true, true});
    check_values(s != u, {true, true, true, false});
    check_values(sn::tensor<std::int32_t, 1>{-1} < sn::tensor<std::uint32_t, 1>{0u}, {true});
    check_values(sn::tensor<std::int64_t, 1>{INT64_MAX} == sn::tensor<std::uint64_t, 1>{std::uint64_t(INT64_MAX)}, {true});
}

TEST_CASE("a scalar outside the type compares by value, and clamps at the type's ends") {
    const sn::tensor<std::uint8_t, 1> x{0, 5, 255};
    check_values(x < 300, {true, true, true});
    check_values(x > -1, {true, true, true});
    check_values(x == 256, {false, false, false});
    check_values(-1 < x, {true, true, true});
    check_values(1000 <= x, {false, false, false});
    check_values(x >= 5, {false, true, true});
    check_values(sn::maximum(x, -5), {0, 5, 255});
    check_values(sn::clamp(x, -5, 300), {0, 5, 255});
    check_values(sn::minimum(sn::tensor<std::int8_t, 1>{100}, 200), {100});
}

TEST_CASE("shapes with zeros broadcast by rule") {
    const auto one = sn::ones<float>(1, 1), none = sn::zeros<float>(0, 1), two = sn::ones<float>(2, 1);
    CHECK((one + none).shape() == sn::shape<2>{0, 1});
    CHECK(sn::eval(one + none).size() == 0);
    CHECK_THROWS_AS((void)(two + none), sn::shape_error);
    CHECK(sn::eval(sn::max(sn::zeros<float>(0, 2), axis<1>)).shape() == sn::shape<1>{0});
}

TEST_CASE("the scalar of a product applies to the bias too, and a slice has its own leading dimension") {
    const sn::tensor<float, 2> a{{1, 2}, {3, 4}}, wide{{1, 2, 9}, {3, 4, 9}};
    check_values(10.f * (sn::matmul(a, a) + sn::tensor<float, 1>{1, 1}), {80, 110, 160, 230});
    check_values(sn::matmul(wide(all, range(0, 2)), wide(all, range(0, 2))), {7, 10, 15, 22});
}

TEST_CASE("a reversed view added to itself in place reads what was there before") {
    sn::tensor<int, 1> x{0, 1, 2, 3, 4};
    x.at(range(open, open, -1)) += x;
    check_values(x, {4, 4, 4, 4, 4});
    sn::tensor<int, 1> y{0, 1, 2, 3, 4};
    y += y(range(open, open, -1));
    check_values(y, {4, 4, 4, 4, 4});
}

TEST_CASE("an expression that uses itself twice, and one that is long") {
    const sn::tensor<double, 1> x{1, 2};
    const auto twice = [](const auto& e) { return e + e; };
    check_values(twice(twice(twice(twice(x)))), {16, 32});
    sn::tensor<double, 1> sum = x;
    for (int i = 0; i < 1000; ++i) sum = sum + x;
    check_values(sum, {1001, 2002});
}

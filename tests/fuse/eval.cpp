// tests/fuse/eval.cpp -- the pipeline: splitting, in-place evaluation, aliasing, and many or few operands.

#include "support/tensors.hpp"

TEST_CASE("eval of one expression gives a tensor, of several a tuple") {
    const sn::tensor<float, 1> x{3, 1, 2};
    const auto y = sn::eval(x * 2);
    CHECK(std::is_same_v<decltype(y), const sn::tensor<float, 1>>);
    const auto [lo, hi, where] = sn::eval(sn::min(x), sn::max(x), sn::argmax(x));
    CHECK(lo() == 1);
    CHECK(hi() == 3);
    CHECK(where() == 0);
}

TEST_CASE("a target that is read elsewhere than it is written is not written in place") {
    sn::tensor<float, 2> x{{1, 2}, {3, 4}};
    x = sn::transpose(x);
    check_values(x, {1, 3, 2, 4});
    x = sn::transpose(x) + x;
    check_values(x, {2, 5, 5, 8});
    sn::tensor<int, 1> v = sn::arange<int>(1000);
    v = v + v(range(open, open, -1));
    check_values(v, values_of(sn::full<int>(999, 1000)));
    v = sn::broadcast_to(v(range(0, 1)), sn::shape<1>{1000}) - v;
    check_values(v, values_of(sn::zeros<int>(1000)));
}

TEST_CASE("a reduction of the target is taken before the target changes") {
    sn::tensor<float, 1> x{1, 2, 3, 4};
    const float* const memory = x.data();
    x = x - sn::mean(x);
    check_values(x, {-1.5, -0.5, 0.5, 1.5});
    CHECK(x.data() == memory);
    x /= sn::max(x);
    check_values(x, {-1, -0.5f / 1.5f, 0.5f / 1.5f, 1});
    sn::tensor<float, 2> m{{1, 2}, {3, 4}};
    m = sn::matmul(m, m) + m;
    check_values(m, {8, 12, 18, 26});
}

TEST_CASE("expressions are values: copied, kept and returned") {
    const auto make = [] {
        const sn::tensor<float, 1> local{1, 2, 3};
        auto e = local * 2 + sn::sum(local);
        return e;
    };
    const auto e = make();
    const auto copy = e;
    check_values(e, {8, 10, 12});
    check_values(copy + e, {16, 20, 24});
}

TEST_CASE("an expression sees the values its leaves had when it was built") {
    sn::tensor<float, 1> x{1, 2, 3};
    const auto e = x + 1;
    x.at(0) = 100;
    x += 5;
    check_values(e, {2, 3, 4});
}

TEST_CASE("ten thousand and some elements of every length class, contiguous, in one expression of several operands") {
    for (const std::int64_t n : {0, 1, 3, 15, 16, 17, 63, 64, 65, 127, 128, 4095, 4096, 4097, 100000, 1234567}) {
        const sn::tensor<int, 1> a = sn::arange<int>(n), b = a * 3, c = b - a;
        const sn::tensor<int, 1> r = a * 2 + b - c * a;
        std::int64_t wrong = 0;
        for (std::int64_t i = 0; i < n; ++i) {
            const auto k = static_cast<std::uint32_t>(i); // products wrap
            wrong += static_cast<std::uint32_t>(r(i)) != k * 2 + k * 3 - (2 * k) * k;
        }
        CHECK(wrong == 0);
    }
}

TEST_CASE("more operands than fit on the stack") {
    const sn::tensor<float, 1> x = sn::arange<float>(77);
    const auto four = [](const auto& e) { return e + e + e + e; };
    check_values(four(four(four(x))), values_of(x * 64));
    check_values(sn::sum(four(four(x))), {16 * 76 * 77 / 2});
    const sn::tensor<float, 2> m = sn::reshape(sn::arange<float>(600), {20, 30});
    check_values(four(four(sn::transpose(m))), values_of(sn::transpose(m) * 16));
}

TEST_CASE("mixed types compute in the promoted type of each operation") {
    const sn::tensor<std::int8_t, 1> a{100, -100};
    const sn::tensor<std::uint8_t, 1> b{200, 100};
    const sn::tensor<float, 1> f{0.5, 0.25};
    check_values((a + b), {300, 0});
    check_values((a + a) + b, {static_cast<std::int16_t>(-56 + 200), static_cast<std::int16_t>(56 + 100)});
    check_values(a * f + b, {250, 75});
    check_values(sn::cast<double>(a) / b, {0.5, -1});
    check_values((a > b) & (f > 0.3), {false, false});
    check_values(sn::where(a < 0, a + b, 1), {1, 0});
}

// tests/expr/random.cpp -- random numbers: the published generator, ranges, moments, and the same numbers however they are read.

#include "support/tensors.hpp"

namespace random_ = sn::random;

TEST_CASE("Philox4x32-10 gives the published numbers") {
    const auto zero = sn::detail::philox<std::uint64_t>(0, std::uint64_t{0}, std::uint64_t{0});
    CHECK(zero.w0 == 0x6627e8d5);
    CHECK(zero.w1 == 0xe169c58d);
    CHECK(zero.w2 == 0xbc57ac4c);
    CHECK(zero.w3 == 0x9b00dbd8);
    const auto ones = sn::detail::philox<std::uint64_t>(UINT64_MAX, std::uint64_t{UINT64_MAX}, std::uint64_t{UINT64_MAX});
    CHECK(ones.w0 == 0x408f276d);
    CHECK(ones.w1 == 0x41c83b0e);
    CHECK(ones.w2 == 0xa20bc7c6);
    CHECK(ones.w3 == 0x6d5451fd);
    const auto pi = sn::detail::philox<std::uint64_t>(0x85a308d3243f6a88, std::uint64_t{0x299f31d0a4093822}, std::uint64_t{0x0370734413198a2e});
    CHECK(pi.w0 == 0xd16cfe09);
    CHECK(pi.w1 == 0x94fdcceb);
    CHECK(pi.w2 == 0x5001e420);
    CHECK(pi.w3 == 0x24126ea1);
}

TEST_CASE("uniform numbers are in [0, 1), with the right moments, and never 1") {
    const std::int64_t n = 1 << 20;
    const sn::tensor<float, 1> u = random_::uniform<float>(random_::key(7), n);
    const sn::tensor<double, 1> d = random_::uniform<double>(random_::key(8), n);
    CHECK(sn::eval(sn::min(u))() >= 0);
    CHECK(sn::eval(sn::max(u))() < 1);
    CHECK(sn::eval(sn::max(d))() < 1);
    CHECK(std::abs(sn::eval(sn::mean(d))() - 0.5) < 0.002);
    CHECK(std::abs(sn::eval(sn::var(d))() - 1.0 / 12) < 0.001);
    CHECK(std::abs(sn::eval(sn::mean(sn::cast<double>(u)))() - 0.5) < 0.002);
    // The largest words give the largest values below 1.
    CHECK(sn::detail::unit_interval<float>(sn::detail::packet<std::uint64_t, sn::detail::width<sn::detail::isa::v1, 1>>::splat(0xffffffff),
                                           sn::detail::packet<std::uint64_t, sn::detail::width<sn::detail::isa::v1, 1>>::splat(0xffffffff))
              .v[0] == 1 - 0x1p-24f);
}

TEST_CASE("normal numbers have mean 0, variance 1 and the right tails") {
    const std::int64_t n = 1 << 20;
    const sn::tensor<double, 1> z = random_::normal<double>(random_::key(9), n);
    CHECK(std::abs(sn::eval(sn::mean(z))()) < 0.005);
    CHECK(std::abs(sn::eval(sn::var(z))() - 1) < 0.01);
    const double beyond_two = double(sn::eval(sn::count_nonzero(sn::abs(z) > 2))()) / double(n);
    CHECK(std::abs(beyond_two - 0.0455) < 0.002);
    CHECK(sn::eval(all(sn::isfinite(z)))());
    CHECK(std::abs(sn::eval(sn::mean(sn::cast<double>(random_::normal<float>(random_::key(9), n))))()) < 0.005);
}

TEST_CASE("integers cover their range evenly") {
    const sn::tensor<int, 1> r = random_::integers<int>(random_::key(3), -2, 5, 70000);
    for (int v = -2; v < 5; ++v) {
        const std::int64_t count = sn::eval(sn::count_nonzero(r == v))();
        CHECK(std::abs(double(count) - 10000) < 500);
    }
    check_values(random_::integers<std::uint8_t>(random_::key(1), 7, 8, 4), {7, 7, 7, 7});
    const sn::tensor<std::int64_t, 1> wide = random_::integers<std::int64_t>(random_::key(3), INT64_MIN, INT64_MAX, 1000);
    CHECK(sn::eval(sn::min(wide))() < -(INT64_MAX / 2));
    CHECK(sn::eval(sn::max(wide))() > INT64_MAX / 2);
    CHECK(message_of<sn::shape_error>([] { (void)random_::integers<int>(random_::key(1), 5, 5, 3); }).find("no integer") != std::string::npos);
}

TEST_CASE("integers agree with 128-bit arithmetic") {
    const std::uint64_t count = 0x123456789abcdef1;
    const auto values = values_of(random_::integers<std::int64_t>(random_::key(5), 0, static_cast<std::int64_t>(count), 100));
    for (std::uint64_t i = 0; i < 100; ++i) {
        const auto x = sn::detail::philox<std::uint64_t>(i, std::uint64_t{5}, std::uint64_t{0});
        const auto wanted = static_cast<std::uint64_t>(static_cast<unsigned __int128>((x.w0 << 32) + x.w1) * count >> 64);
        CHECK(static_cast<std::uint64_t>(values[i]) == wanted);
    }
}

TEST_CASE("bernoulli is true with its probability") {
    const auto count = sn::eval(sn::count_nonzero(random_::bernoulli(random_::key(2), 0.3, 100000)))();
    CHECK(std::abs(double(count) - 30000) < 600);
    CHECK(sn::eval(sn::any(random_::bernoulli(random_::key(2), 0, 1000)))() == false);
    CHECK(sn::eval(all(random_::bernoulli(random_::key(2), 1, 1000)))() == true);
    CHECK(message_of<sn::shape_error>([] { (void)random_::bernoulli(random_::key(1), 1.5, 3); }).find("probability") != std::string::npos);
}

TEST_CASE("a permutation has every position once") {
    auto p = random_::permutation(random_::key(4), 1000);
    std::vector<bool> seen(1000);
    for (const auto i : p.span()) seen[static_cast<std::size_t>(i)] = true;
    CHECK(std::count(seen.begin(), seen.end(), true) == 1000);
    CHECK(values_of(p) != values_of(sn::arange<std::int64_t>(1000)));
    CHECK(random_::permutation(random_::key(4), 0).size() == 0);
}

TEST_CASE("an element is a function of the key and its position alone") {
    const auto k = random_::key(11);
    const auto whole = values_of(random_::uniform<float>(k, 1000));
    check_values(random_::uniform<float>(k, 10), {whole.begin(), whole.begin() + 10});
    check_values(sn::slice(random_::uniform<float>(k, 1000), range(100, 103)), {whole[100], whole[101], whole[102]});
    check_values(random_::uniform<float>(k, 10, 100), whole);
    check_values(sn::flip<0>(random_::uniform<float>(k, 3)), {whole[2], whole[1], whole[0]});
    CHECK(values_of(random_::uniform<float>(random_::key(11, 1), 1000)) != whole);
    CHECK(values_of(random_::uniform<float>(random_::key(12), 1000)) != whole);
    const auto fused = values_of(random_::uniform<float>(k, 1000) * 2 - 1);
    CHECK(fused[500] == whole[500] * 2 - 1);
}

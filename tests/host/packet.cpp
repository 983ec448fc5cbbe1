// tests/host/packet.cpp -- packets on every instruction set that the processor has: lanes, masks, conversions, exact functions.

#include "support/tensors.hpp"

namespace detail = sn::detail;

namespace {

/// Checks lane by lane; runs inside a function with the target of its instruction set.
template <detail::isa Level, int Lanes>
SINTER_INLINE void check_packets(int& wrong) {
    using W = detail::width<Level, Lanes>;
    using F = detail::packet<float, W>;
    using D = detail::packet<double, W>;
    using I = detail::packet<int, W>;
    float x[Lanes], y[Lanes], out[Lanes];
    double wide[Lanes];
    int whole[Lanes];
    bool flags[Lanes];
    for (int i = 0; i < Lanes; ++i) {
        x[i] = static_cast<float>(i) * 1.25f - 7;
        y[i] = 3 - static_cast<float>(i % 5);
    }
    const F a = F::load(x), b = F::load(y);
    const auto expect = [&](bool right) { wrong += !right; };

    (a * b + a).store(out);
    for (int i = 0; i < Lanes; ++i) expect(std::abs(out[i] - (x[i] * y[i] + x[i])) <= 1e-5f * std::abs(out[i]));
    detail::fma(a, b, a).store(out);
    for (int i = 0; i < Lanes; ++i) expect(out[i] == std::fma(x[i], y[i], x[i]));
    detail::sqrt(detail::abs(a)).store(out);
    for (int i = 0; i < Lanes; ++i) expect(out[i] == std::sqrt(std::fabs(x[i])));
    select(a < b, a, b).store(out);
    for (int i = 0; i < Lanes; ++i) expect(out[i] == std::min(x[i], y[i]));
    store(detail::resize<1>(a < b), flags);
    for (int i = 0; i < Lanes; ++i) expect(flags[i] == (x[i] < y[i]));
    store(detail::resize<1>(~(a < b) & (b == F::splat(1))), flags);
    for (int i = 0; i < Lanes; ++i) expect(flags[i] == (!(x[i] < y[i]) && y[i] == 1));
    expect(detail::any_lane(a < b) == (*std::min_element(x, x + Lanes) < 3));
    expect(detail::all_lanes(a == a));
    expect(!detail::any_lane(a != a));

    // float, double and int in one kernel have one lane count.
    (detail::convert<double>(a) * 0.5).store(wide);
    for (int i = 0; i < Lanes; ++i) expect(wide[i] == static_cast<double>(x[i]) * 0.5);
    detail::convert<int>(a).store(whole);
    for (int i = 0; i < Lanes; ++i) expect(whole[i] == static_cast<int>(x[i]));
    select(a < b, detail::convert<double>(b), D::load(wide)).store(wide);
    for (int i = 0; i < Lanes; ++i) expect(wide[i] == (x[i] < y[i] ? static_cast<double>(y[i]) : static_cast<double>(x[i]) * 0.5));
    detail::lane_numbers<int, W>().store(whole);
    for (int i = 0; i < Lanes; ++i) expect(whole[i] == i);
    const I n = I::load(whole);
    (n / (n - 3)).store(whole);
    for (int i = 0; i < Lanes; ++i) expect(whole[i] == (i == 3 ? 0 : i / (i - 3)));
    (n << (n * 9)).store(whole);
    for (int i = 0; i < Lanes; ++i) expect(whole[i] == (i * 9 > 31 ? 0 : i << (i * 9)));
}

template <int Lanes>
SINTER_TARGET_V4 void check_v4(int& wrong) {
    check_packets<detail::isa::v4, Lanes>(wrong);
}
template <int Lanes>
SINTER_TARGET_V3 void check_v3(int& wrong) {
    check_packets<detail::isa::v3, Lanes>(wrong);
}
template <int Lanes>
void check_v1(int& wrong) {
    check_packets<detail::isa::v1, Lanes>(wrong);
}

bool has(detail::isa level) {
    return detail::active_isa() >= level; // the forced one is no better than what the processor has
}

} // namespace

TEST_CASE("packets of 2 to 32 lanes compute lane by lane what C++ does") {
    int wrong = 0;
    check_v1<2>(wrong);
    check_v1<4>(wrong);
    check_v1<16>(wrong);
    CHECK(wrong == 0);
    if (has(detail::isa::v3)) {
        check_v3<4>(wrong);
        check_v3<8>(wrong);
        check_v3<32>(wrong);
    }
    CHECK(wrong == 0);
    if (has(detail::isa::v4)) {
        check_v4<8>(wrong);
        check_v4<16>(wrong);
        check_v4<32>(wrong);
    }
    CHECK(wrong == 0);
}

TEST_CASE("an instruction set can be forced, and a wrong name says which there are") {
    const char* const before = std::getenv("SINTER_ISA");
    const std::string kept = before ? before : "";
    setenv("SINTER_ISA", "v1", 1);
    CHECK(detail::choose_isa() == detail::isa::v1);
    setenv("SINTER_ISA", "avx", 1);
    CHECK(message_of([] { detail::choose_isa(); }) == "sinter: SINTER_ISA=avx is not an instruction set: use v4, v3 or v1");
    if (before)
        setenv("SINTER_ISA", kept.c_str(), 1);
    else
        unsetenv("SINTER_ISA");
}

TEST_CASE("words of twice the digits hold sums and products exactly") {
    using W = detail::width<detail::isa::v1, 2>;
    using P = detail::packet<double, W>;
    const auto sum = detail::two_sum(P::splat(1), P::splat(0x1p-80));
    CHECK(sum.hi.v[0] == 1);
    CHECK(sum.lo.v[0] == 0x1p-80);
    const auto product = detail::two_product(P::splat(1 + 0x1p-40), P::splat(1 + 0x1p-40));
    CHECK(product.hi.v[0] == 1 + 0x1p-39);
    CHECK(product.lo.v[0] == 0x1p-80);
    const auto root = detail::sqrt(detail::double_word<P>{P::splat(2), P::splat(0)});
    CHECK(std::abs(static_cast<double>(static_cast<long double>(root.hi.v[0]) + root.lo.v[0] - std::sqrt(2.0L))) < 1e-19);
}

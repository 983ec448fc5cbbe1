// tests/host/accuracy.cpp -- every function with an error bound in the table keeps it, against MPFR. bench/accuracy uses more points.

#include "support/tensors.hpp"

#include "support/accuracy.hpp"

namespace {

template <class Op, class T>
void check_bound() {
    if constexpr (Op::ulp > 0) {
        const auto worst = accuracy::measure<Op, T>(20000, 7);
        CHECK_MESSAGE(worst.ulp <= Op::ulp, std::string(Op::name), " of ", sizeof(T) * 8, " bits at ", shown(worst.x), ", ", shown(worst.y), " gives ",
                      shown(worst.given), ": ", worst.ulp, " ulp, not at most ", Op::ulp);
    }
}

} // namespace

TEST_CASE("elementary functions of float are within the table's bounds, at edges and random arguments") {
#define SINTER_OP(name, ...) check_bound<sn::detail::name##_op, float>();
#include <sinter/expr/ops.def>
}

TEST_CASE("elementary functions of double are within the table's bounds, at edges and random arguments") {
#define SINTER_OP(name, ...) check_bound<sn::detail::name##_op, double>();
#include <sinter/expr/ops.def>
}

TEST_CASE("the oracle sees an error of one unit in the last place, and wrong signs and infinities") {
    CHECK(oracle::ulp_error("exp", std::nextafter(float(M_E), 9.f), 1.f) > 0.5);
    CHECK(oracle::ulp_error("exp", float(M_E), 1.f) < 0.51);
    CHECK(std::isinf(oracle::ulp_error("sin", 0.f, -0.f)));
    CHECK(oracle::ulp_error("sin", -0.f, -0.f) == 0);
    CHECK(std::isinf(oracle::ulp_error("log", 5.0, 0.0)));
    CHECK(std::isinf(oracle::ulp_error("log", 0.0, -1.0)));
    CHECK(oracle::ulp_error<double>("exp", INFINITY, 1000.0) == 0);
    CHECK(oracle::ulp_error("exp", std::numeric_limits<double>::denorm_min(), -745.0) < 1);
}

TEST_CASE("whole numbers and powers come out exactly where they are exact") {
    check_values(sn::log2(sn::tensor<double, 1>{8, 0.25, 1, 0x1p1000}), {3, -2, 0, 1000});
    check_values(sn::log10(sn::tensor<double, 1>{1000, 1e22, 1}), {3, 22, 0});
    check_values(sn::log2(sn::tensor<float, 1>{8, 0x1p-140f}), {3, -140});
    check_values(sn::exp2(sn::tensor<double, 1>{10, -1074, 0}), {1024, 0x1p-1074, 1});
    check_values(sn::cbrt(sn::tensor<double, 1>{27, -8, 0.125}), {3, -2, 0.5});
    check_values(sn::pow(sn::tensor<double, 1>{3, 2, -2, 10}, sn::tensor<double, 1>{4, -3, 3, 0}), {81, 0.125, -8, 1});
    check_values(sn::sqrt(sn::tensor<float, 1>{4, 2.25f}), {2, 1.5f});
    check_values(sn::tgamma(sn::tensor<double, 1>{1, 5, 0.5}), {1, 24, 1.7724538509055161});
    check_values(sn::hypot(sn::tensor<double, 1>{3 * 0x1p900}, sn::tensor<double, 1>{4 * 0x1p900}), {5 * 0x1p900});
}

TEST_CASE("functions of integers and bools are computed in double") {
    const sn::tensor<int, 1> n{0, 1, 4};
    CHECK(std::is_same_v<decltype(sn::sqrt(n))::value_type, double>);
    check_values(sn::sqrt(n), {0, 1, 2});
    check_values(sn::exp(sn::tensor<bool, 1>{false}), {1});
    check_values(sn::reciprocal(sn::tensor<int, 1>{4}), {0.25});
    CHECK(std::is_same_v<decltype(sn::atan2(n, 1.0f))::value_type, float>);
    check_values(sn::pow(sn::tensor<int, 1>{2, 3, -1, 0, 7}, sn::tensor<int, 1>{10, 4, -3, 0, -1}), {1024, 81, -1, 1, 0});
    check_values(sn::pow(sn::tensor<std::uint8_t, 1>{2, 3}, 8), {0, static_cast<std::uint8_t>(6561)});
}

// tests/core/dtype.cpp -- the promotion table, and names and sizes of element types.

#include "support/tensors.hpp"

using std::int16_t, std::int32_t, std::int64_t, std::int8_t, std::uint16_t, std::uint32_t, std::uint64_t, std::uint8_t;

namespace {

template <class A, class B, class R>
constexpr bool gives = std::is_same_v<sn::promote<A, B>, R> && std::is_same_v<sn::promote<B, A>, R>;
template <class T, class S, class R>
constexpr bool with_scalar = std::is_same_v<sn::promote_scalar<T, S>, R>;

} // namespace

TEST_CASE("tensors promote by the array API's table") {
    CHECK(gives<int8_t, int8_t, int8_t>);
    CHECK(gives<int8_t, int16_t, int16_t>);
    CHECK(gives<int32_t, int64_t, int64_t>);
    CHECK(gives<uint8_t, uint16_t, uint16_t>);
    CHECK(gives<uint8_t, int8_t, int16_t>);
    CHECK(gives<uint8_t, int16_t, int16_t>);
    CHECK(gives<uint16_t, int8_t, int32_t>);
    CHECK(gives<uint16_t, int16_t, int32_t>);
    CHECK(gives<uint32_t, int8_t, int64_t>);
    CHECK(gives<uint32_t, int32_t, int64_t>);
    CHECK(gives<uint32_t, int64_t, int64_t>);
    CHECK(gives<float, double, double>);
}

TEST_CASE("what the standard leaves open is as in NumPy, an integer taking the floating type") {
    CHECK(gives<uint64_t, int64_t, double>);
    CHECK(gives<uint64_t, int8_t, double>);
    CHECK(gives<int64_t, float, float>);
    CHECK(gives<int8_t, double, double>);
    CHECK(gives<bool, int8_t, int8_t>);
    CHECK(gives<bool, float, float>);
    CHECK(gives<bool, bool, bool>);
}

TEST_CASE("a C++ scalar widens a type only by a higher kind") {
    CHECK(with_scalar<float, double, float>);
    CHECK(with_scalar<int8_t, long long, int8_t>);
    CHECK(with_scalar<uint8_t, int, uint8_t>);
    CHECK(with_scalar<int32_t, double, double>);
    CHECK(with_scalar<int32_t, float, float>);
    CHECK(with_scalar<bool, int, int32_t>);
    CHECK(with_scalar<double, bool, double>);
    const sn::tensor<float, 1> x{1};
    CHECK(std::is_same_v<decltype(x * 2.0)::value_type, float>);
    CHECK(std::is_same_v<decltype(2 + x)::value_type, float>);
    CHECK(std::is_same_v<decltype(x > 1)::value_type, bool>);
}

TEST_CASE("arithmetic happens in the promoted type, never in int") {
    const sn::tensor<uint8_t, 1> a{128}, b{128};
    CHECK(values_of(sn::cast<int16_t>(a + b)) == std::vector<int16_t>{0});
    const sn::tensor<int8_t, 1> c{8};
    CHECK(values_of((c << 4) >> 4) == std::vector<int8_t>{-8});
    const sn::tensor<uint16_t, 1> d{65535};
    CHECK(values_of(d * d) == std::vector<uint16_t>{1});
}

TEST_CASE("names and sizes") {
    CHECK(std::string(sn::name(sn::detail::dtype_of<bool>())) == "bool");
    CHECK(std::string(sn::name(sn::detail::dtype_of<uint16_t>())) == "uint16");
    CHECK(std::string(sn::name(sn::detail::dtype_of<int64_t>())) == "int64");
    CHECK(std::string(sn::name(sn::detail::dtype_of<float>())) == "float32");
    CHECK(sn::bytes_of(sn::dtype::float64) == 8);
    CHECK(sn::bytes_of(sn::dtype::boolean) == 1);
}

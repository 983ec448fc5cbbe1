// tests/core/shape.cpp -- how shapes broadcast, and the messages when they do not.

#include "support/tensors.hpp"

namespace {

template <std::size_t A, std::size_t B>
auto broadcast(const std::array<std::int64_t, A>& a, const std::array<std::int64_t, B>& b) {
    return sn::detail::broadcast_shapes("add", a, b);
}
using one = std::array<std::int64_t, 1>;
using two = std::array<std::int64_t, 2>;
using three = std::array<std::int64_t, 3>;

} // namespace

TEST_CASE("shapes broadcast from the last axis, where extents are equal or 1") {
    CHECK(broadcast(two{3, 4}, one{4}) == two{3, 4});
    CHECK(broadcast(two{3, 1}, one{4}) == two{3, 4});
    CHECK(broadcast(three{2, 1, 4}, two{3, 1}) == three{2, 3, 4});
    CHECK(broadcast(two{1, 1}, two{0, 1}) == two{0, 1});
    CHECK(broadcast(two{0, 3}, one{1}) == two{0, 3});
    CHECK(broadcast(std::array<std::int64_t, 0>{}, one{5}) == one{5});
}

TEST_CASE("shapes that do not broadcast are refused with both shapes and the axis") {
    CHECK(message_of<sn::shape_error>([] { broadcast(two{3, 4}, one{5}); }) ==
          "sinter: add: shapes (3, 4) and (5,) do not broadcast: axis -1 is 4 and 5; extents must be equal or 1: use a slice, "
          "reshape or expand_dims");
    CHECK(message_of<sn::shape_error>([] { broadcast(two{2, 1}, two{0, 1}); }).find("axis -2 is 2 and 0") != std::string::npos);
}

TEST_CASE("a message names the operation that was written") {
    const sn::tensor<float, 1> a{1, 2}, b{1, 2, 3};
    CHECK(message_of<sn::shape_error>([&] { (void)(a * b); }).starts_with("sinter: multiply: shapes (2,) and (3,)"));
    CHECK(message_of<sn::shape_error>([&] { (void)sn::where(a > 1, a, b); }).starts_with("sinter: where: shapes"));
    CHECK(message_of<sn::shape_error>([&] { (void)sn::map([](float x, float y) { return x + y; }, a, b); }).starts_with("sinter: map:"));
}

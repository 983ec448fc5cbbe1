// tests/expr/view.cpp -- slices, transposes, broadcasts and reshapes: the elements that NumPy would give, and no copies.

#include "support/tensors.hpp"

namespace {

const sn::tensor<int, 2> m = sn::reshape(sn::arange<int>(12), {3, 4}); // 0 1 2 3 / 4 5 6 7 / 8 9 10 11

} // namespace

TEST_CASE("slices by integers, ranges, all and newaxis") {
    check_values(m(1, all), {4, 5, 6, 7});
    check_values(m(all, -1), {3, 7, 11});
    check_values(m(1), {4, 5, 6, 7});
    check_values(m(range(0, 2), range(1, 3)), {1, 2, 5, 6});
    check_values(m(range(open, open, -1), 0), {8, 4, 0});
    check_values(m(-1, range(open, open, -2)), {11, 9});
    check_values(m(range(1, open), range(open, 2)), {4, 5, 8, 9});
    CHECK(m(all, newaxis, all).shape() == sn::shape<3>{3, 1, 4});
    CHECK(m(newaxis, 0, newaxis, all, newaxis).shape() == sn::shape<4>{1, 1, 4, 1});
}

TEST_CASE("bounds beyond the axis are clipped, as in NumPy") {
    const sn::tensor<int, 1> v = sn::arange<int>(5);
    check_values(v(range(2, 100)), {2, 3, 4});
    check_values(v(range(-100, 2)), {0, 1});
    check_values(v(range(3, 1)), {});
    check_values(v(range(4, 1, -1)), {4, 3, 2});
    check_values(v(range(100, -100, -2)), {4, 2, 0});
    check_values(v(range(-1, open)), {4});
    check_values(v(range(5, open)), {});
    check_values(v(range(0, 5, 100)), {0});
    CHECK(message_of<sn::index_error>([&] { (void)v(range(0, 5, 0)); }).find("step is 0") != std::string::npos);
    CHECK(message_of<sn::index_error>([&] { (void)m(3, all); }) == "sinter: index 3 is outside axis 0 of extent 3: use -3 to 2");
}

TEST_CASE("slices of slices and of expressions") {
    check_values(sn::slice(m(range(0, 3, 2), all), 1, range(1, 4, 2)), {9, 11});
    check_values(sn::slice(m * 10 + 1, all, 0), {1, 41, 81});
    check_values(sn::slice(sn::slice(sn::arange<int>(100), range(10, 90, 3)), range(open, open, -5)), {88, 73, 58, 43, 28, 13});
}

TEST_CASE("transpose, permute, flip") {
    check_values(sn::transpose(m), {0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11});
    const sn::tensor<int, 3> t = sn::reshape(sn::arange<int>(24), {2, 3, 4});
    const sn::tensor<int, 3> p = sn::permute<2, 0, 1>(t);
    CHECK(p.shape() == sn::shape<3>{4, 2, 3});
    int wrong = 0;
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 2; ++j)
            for (int k = 0; k < 3; ++k) wrong += p(i, j, k) != t(j, k, i);
    CHECK(wrong == 0);
    check_values(sn::permute<-1, 0>(m), values_of(sn::transpose(m)));
    check_values(sn::flip<0>(m(all, 0)), {8, 4, 0});
    check_values(sn::flip<-1>(m(range(0, 1), all)), {3, 2, 1, 0});
}

TEST_CASE("expand_dims, squeeze, broadcast_to") {
    CHECK(sn::expand_dims<0, -1>(m).shape() == sn::shape<4>{1, 3, 4, 1});
    CHECK(sn::expand_dims<1>(m).shape() == sn::shape<3>{3, 1, 4});
    check_values(sn::squeeze<0>(m(newaxis, 2, all)), {8, 9, 10, 11});
    CHECK(message_of<sn::shape_error>([&] { (void)sn::squeeze<1>(m); }) ==
          "sinter: squeeze: axis 1 of shape (3, 4) is not 1; only axes of extent 1 can be dropped");
    check_values(sn::broadcast_to(m(all, range(0, 1)), sn::shape<2>{3, 2}), {0, 0, 4, 4, 8, 8});
    check_values(sn::broadcast_to(sn::tensor<int, 0>(7), sn::shape<1>{3}), {7, 7, 7});
    CHECK(message_of<sn::shape_error>([&] { (void)sn::broadcast_to(m, sn::shape<2>{1, 4}); }).find("do not broadcast") != std::string::npos);
}

TEST_CASE("reshape of anything, with one open extent") {
    check_values(sn::reshape(m, {4, 3}), values_of(m));
    CHECK(sn::reshape(m, {2, -1}).shape() == sn::shape<2>{2, 6});
    check_values(sn::ravel(sn::transpose(m)), {0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11});
    check_values(sn::reshape(sn::transpose(m), {2, 6}), {0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11});
    check_values(sn::reshape(m(range(open, open, -1), all), {6, 2}), {8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3});
    check_values(sn::reshape(m + sn::tensor<int, 1>{100, 200, 300, 400}, {12}), {100, 201, 302, 403, 104, 205, 306, 407, 108, 209, 310, 411});
    check_values(sn::ravel(sn::broadcast_to(sn::arange<int>(2), sn::shape<2>{3, 2})), {0, 1, 0, 1, 0, 1});
    CHECK(sn::reshape(sn::zeros<int>(0, 3), {3, 0}).shape() == sn::shape<2>{3, 0});
    CHECK(message_of<sn::shape_error>([&] { (void)sn::reshape(m, {5, 3}); }) == "sinter: reshape: shape (3, 4) has not as many elements as (5, 3)");
    CHECK(message_of<sn::shape_error>([&] { (void)sn::reshape(m, {-1, -1}); }).find("only one extent can be -1") != std::string::npos);
    CHECK(message_of<sn::shape_error>([&] { (void)sn::reshape(m, {-1, 5}); }).find("not as many") != std::string::npos);
}

TEST_CASE("large transposes and strided reads, in blocks and on several threads") {
    for (const auto& [rows, columns] : {std::pair{1, 1}, {3, 1000}, {1000, 3}, {64, 64}, {100, 1031}, {1031, 100}, {1500, 1400}}) {
        const sn::tensor<int, 2> t = sn::reshape(sn::arange<int>(rows * columns), {rows, columns});
        const sn::tensor<int, 2> r = sn::transpose(t) * 2 + sn::reshape(sn::arange<int>(rows * columns), {columns, rows});
        std::int64_t wrong = 0;
        for (int i = 0; i < columns; ++i)
            for (int j = 0; j < rows; ++j) wrong += r(i, j) != 2 * (j * columns + i) + i * rows + j;
        CHECK(wrong == 0);
    }
}

TEST_CASE("views of rank 8") {
    const sn::tensor<int, 8> t = sn::reshape(sn::arange<int>(256), {2, 2, 2, 2, 2, 2, 2, 2});
    const sn::tensor<int, 8> r = sn::transpose(t);
    CHECK(r(1, 0, 0, 0, 0, 0, 0, 0) == 1);
    CHECK(r(0, 0, 0, 0, 0, 0, 0, 1) == 128);
    CHECK(r(1, 1, 0, 0, 0, 0, 1, 0) == 67);
}

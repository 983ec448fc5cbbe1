// tests/fuse/write.cpp -- writing into slices, also of what is being read.

#include "support/tensors.hpp"

TEST_CASE("a slice takes expressions, scalars and what broadcasts to it") {
    sn::tensor<int, 2> m = sn::zeros<int>(3, 4);
    m.at(1, all) = sn::arange<int>(4);
    m.at(all, 0) = 9;
    m.at(range(0, 3, 2), range(2, 4)) = sn::tensor<int, 2>{{7}, {8}};
    check_values(m, {9, 0, 7, 7, 9, 1, 2, 3, 9, 0, 8, 8});
    m.at(all, range(open, open, -1)) = sn::arange<int>(4);
    check_values(m, {3, 2, 1, 0, 3, 2, 1, 0, 3, 2, 1, 0});
    m.at(all, all) = 5;
    check_values(m, values_of(sn::full<int>(5, 3, 4)));
    sn::tensor<float, 1> v{1, 2, 3};
    v.at(range(0, 2)) = sn::tensor<float, 0>(8);
    check_values(v, {8, 8, 3});
    v.at(1) = sn::sum(v);
    check_values(v, {8, 19, 3});
}

TEST_CASE("compound assignment to a slice") {
    sn::tensor<float, 2> m{{1, 2}, {3, 4}};
    m.at(0, all) += sn::tensor<float, 1>{10, 20};
    m.at(all, 1) *= 2;
    m.at(1, 0) -= 1;
    m.at(1, all) /= 2;
    check_values(m, {11, 44, 1, 4});
}

TEST_CASE("what is read is read before it is overwritten") {
    sn::tensor<int, 1> v = sn::arange<int>(8);
    v.at(range(1, 8)) = v(range(0, 7));
    check_values(v, {0, 0, 1, 2, 3, 4, 5, 6});
    v.at(range(0, 7)) = v(range(1, 8));
    check_values(v, {0, 1, 2, 3, 4, 5, 6, 6});
    v.at(range(open, open, -1)) = v;
    check_values(v, {6, 6, 5, 4, 3, 2, 1, 0});
    v.at(range(open, open, -1)) += v; // 0, 2, 4, … at a peer that read what it had written
    check_values(v, {6, 7, 7, 7, 7, 7, 7, 6});
    sn::tensor<int, 2> m = sn::reshape(sn::arange<int>(9), {3, 3});
    m.at(all, all) = sn::transpose(m);
    check_values(m, {0, 3, 6, 1, 4, 7, 2, 5, 8});
    m.at(range(0, 2), all) = m(range(1, 3), all) + m(range(0, 2), all);
    check_values(m, {1, 7, 13, 3, 9, 15, 2, 5, 8});
    sn::tensor<int, 1> large = sn::arange<int>(200000);
    large.at(range(1, 200000)) = large(range(0, 199999)) + 0;
    std::int64_t wrong = 0;
    for (int i = 1; i < 200000; ++i) wrong += large(i) != i - 1;
    CHECK(wrong == 0);
}

TEST_CASE("a write is not seen by copies, nor by expressions built before") {
    sn::tensor<int, 1> v{1, 2, 3};
    const auto copy = v;
    const auto e = v * 10;
    v.at(0) = 9;
    check_values(copy, {1, 2, 3});
    check_values(e, {10, 20, 30});
    v.at(range(0, 2)) = sn::slice(e, range(0, 2));
    check_values(v, {10, 20, 3});
    check_values(e, {10, 20, 30});
}

TEST_CASE("what does not fit is refused with both shapes, and nothing is written") {
    sn::tensor<int, 2> m = sn::ones<int>(2, 3);
    CHECK(message_of<sn::shape_error>([&] { m.at(0, all) = sn::arange<int>(4); }).starts_with("sinter: x.at(...) = e: shapes (3,) and (4,)"));
    CHECK(message_of<sn::shape_error>([&] { m.at(range(0, 1), all) = sn::zeros<int>(2, 3); }) ==
          "sinter: x.at(...) = e: given shape (2, 3), but the target has shape (1, 3)");
    CHECK(message_of<sn::index_error>([&] { m.at(2, all) = 1; }).find("axis 0") != std::string::npos);
    check_values(m, values_of(sn::ones<int>(2, 3)));
}

TEST_CASE("zero-size slices write nothing") {
    sn::tensor<int, 1> v{1, 2, 3};
    v.at(range(3, 3)) = 7;
    v.at(range(2, 1)) = sn::zeros<int>(0);
    check_values(v, {1, 2, 3});
}

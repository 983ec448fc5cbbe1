// tests/core/tensor.cpp -- making tensors, reading and writing single values, assignment.

#include "support/tensors.hpp"

TEST_CASE("nested braces give the shape and the values") {
    const sn::tensor<float, 2> a{{1, 2, 3}, {4, 5, 6}};
    CHECK(a.shape() == sn::shape<2>{2, 3});
    CHECK(a.size() == 6);
    CHECK(a(1, 2) == 6);
    CHECK(a(-1, -3) == 4);
    const sn::tensor<int, 3> b{{{1}, {2}}, {{3}, {4}}, {{5}, {6}}};
    CHECK(b.shape() == sn::shape<3>{3, 2, 1});
    CHECK(b(2, 1, 0) == 6);
    CHECK(message_of<sn::shape_error>([] { sn::tensor<int, 2>{{1, 2}, {3}}; }).find("a row has 1 elements where the first has 2") !=
          std::string::npos);
}

TEST_CASE("a default tensor is empty; of rank 0 it is the value 0") {
    CHECK(sn::tensor<float, 2>().size() == 0);
    CHECK(sn::tensor<float, 0>()() == 0);
    CHECK(sn::tensor<bool, 0>()() == false);
    CHECK(sn::tensor<float, 0>(3.5f)() == 3.5f);
}

TEST_CASE("an index outside is refused with the axis and what is allowed") {
    const sn::tensor<float, 2> a{{1, 2, 3}, {4, 5, 6}};
    CHECK(message_of<sn::index_error>([&] { (void)a(2, 0); }) == "sinter: index 2 is outside axis 0 of extent 2: use -2 to 1");
    CHECK(message_of<sn::index_error>([&] { (void)a(0, -4); }) == "sinter: index -4 is outside axis 1 of extent 3: use -3 to 2");
    sn::tensor<float, 1> none;
    CHECK(message_of<sn::index_error>([&] { none.at(0) = 1; }) == "sinter: index 0 is outside axis 0 of extent 0");
}

TEST_CASE("single values are written by at") {
    sn::tensor<float, 2> a{{1, 2}, {3, 4}};
    a.at(1, -1) = 10;
    a.at(0, 0) += 5;
    CHECK(values_of(a) == std::vector<float>{6, 2, 3, 10});
    sn::tensor<bool, 1> flags{false, false};
    flags.at(1) = true;
    CHECK(flags(1));
}

TEST_CASE("spans read and write row-major values") {
    sn::tensor<int, 2> a{{1, 2}, {3, 4}};
    const auto b = a;
    for (int& v : a.span()) v *= 10;
    CHECK(values_of(a) == std::vector<int>{10, 20, 30, 40});
    CHECK(values_of(b) == std::vector<int>{1, 2, 3, 4});
    CHECK(b.span().size() == 4);
}

TEST_CASE("an assignment may change the shape") {
    sn::tensor<float, 1> a{1, 2, 3};
    a = sn::tensor<float, 1>{4, 5};
    CHECK(a.shape() == sn::shape<1>{2});
    a = sn::arange<float>(6) + 1;
    CHECK(values_of(a) == std::vector<float>{1, 2, 3, 4, 5, 6});
}

TEST_CASE("compound assignment keeps the shape") {
    sn::tensor<float, 2> a{{1, 2}, {3, 4}};
    a += sn::tensor<float, 1>{10, 20};
    a -= 1;
    a *= 2;
    a /= sn::tensor<float, 2>{{2}, {4}};
    CHECK(values_of(a) == std::vector<float>{10, 21, 6, 11.5});
    sn::tensor<float, 1> small{1};
    CHECK(message_of<sn::shape_error>([&] { small += sn::tensor<float, 1>{1, 2, 3}; }) ==
          "sinter: an assignment such as +=: given shape (3,), but the target has shape (1,)");
}

TEST_CASE("the device is the CPU, and others are refused by name") {
    const sn::tensor<float, 1> a{1};
    CHECK(a.device() == sn::cpu);
    CHECK(a.to(sn::cpu).data() == a.data());
    CHECK_FALSE(sn::cuda_available());
    CHECK(message_of<sn::device_error>([&] { (void)a.to(sn::cuda(1)); }).starts_with("sinter: device cuda:1:"));
}

TEST_CASE("rank 8 and zero-size tensors") {
    const sn::tensor<int, 8> a = sn::ones<int>(1, 2, 1, 3, 1, 2, 1, 2) + 1;
    CHECK(a.size() == 24);
    CHECK(values_of(sn::sum(a)) == std::vector<std::int64_t>{48});
    const sn::tensor<float, 2> none = sn::zeros<float>(0, 5) * 2 + 1;
    CHECK(none.size() == 0);
    CHECK(none.shape() == sn::shape<2>{0, 5});
}

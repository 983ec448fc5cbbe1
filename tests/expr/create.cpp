// tests/expr/create.cpp -- zeros, full, arange, linspace, eye, one_hot: values, types, ends, and fusion with what uses them.

#include "support/tensors.hpp"

TEST_CASE("fills take extents or a shape") {
    check_values(sn::zeros<float>(2, 2), {0, 0, 0, 0});
    check_values(sn::ones<int>(3), {1, 1, 1});
    check_values(sn::full<double>(2.5, 2), {2.5, 2.5});
    check_values(sn::full<bool>(true, sn::shape<2>{1, 3}), {true, true, true});
    CHECK(sn::empty<float>(3, 4).shape() == sn::shape<2>{3, 4});
    CHECK(sn::zeros<float>().shape() == sn::shape<0>{});
}

TEST_CASE("arange counts as NumPy does") {
    check_values(sn::arange<int>(5), {0, 1, 2, 3, 4});
    check_values(sn::arange<int>(2, 11, 3), {2, 5, 8});
    check_values(sn::arange<int>(5, 0, -2), {5, 3, 1});
    check_values(sn::arange<float>(0, 1, 0.25), {0, 0.25f, 0.5f, 0.75f});
    check_values(sn::arange<int>(3, 3), {});
    check_values(sn::arange<int>(5, 0), {});
    check_values(sn::arange<std::int8_t>(-2, 2), {-2, -1, 0, 1});
    CHECK(message_of<sn::shape_error>([] { (void)sn::arange<int>(0, 5, 0); }).find("step") != std::string::npos);
}

TEST_CASE("arange of floats rounds each value once") {
    const auto values = values_of(sn::arange<float>(0.1, 1000, 0.1));
    CHECK(values.size() == 9999);
    for (std::size_t i = 0; i < values.size(); ++i) CHECK(values[i] == static_cast<float>(0.1 + static_cast<double>(i) * 0.1));
}

TEST_CASE("linspace has both ends exactly, and different ends are different kernels' values") {
    check_values(sn::linspace<double>(0, 10, 5), {0, 2.5, 5, 7.5, 10});
    check_values(sn::linspace<double>(0, 1, 5), {0, 0.25, 0.5, 0.75, 1});
    check_values(sn::linspace<float>(1, 0, 3), {1, 0.5f, 0});
    check_values(sn::linspace<float>(2, 9, 1), {2});
    check_values(sn::linspace<float>(2, 9, 0), {});
    CHECK(values_of(sn::linspace<float>(0.1, 0.7, 1001)).back() == 0.7f);
    CHECK(message_of<sn::shape_error>([] { (void)sn::linspace<float>(0, 1, -1); }).find("negative") != std::string::npos);
}

TEST_CASE("eye and one_hot") {
    check_values(sn::eye<int>(2, 3), {1, 0, 0, 0, 1, 0});
    check_values(sn::eye<float>(2), {1, 0, 0, 1});
    const sn::tensor<int, 1> labels{2, 0, 5};
    check_values(sn::one_hot<float>(labels, 3), {0, 0, 1, 1, 0, 0, 0, 0, 0});
}

TEST_CASE("generated values fuse, in any layout and at any length") {
    for (const std::int64_t n : {1, 15, 16, 17, 63, 64, 65, 100, 1000, 100003}) {
        const sn::tensor<std::int64_t, 1> t = sn::arange<std::int64_t>(n) * 2 + 1;
        std::int64_t wrong = 0;
        for (std::int64_t i = 0; i < n; ++i) wrong += t(i) != 2 * i + 1;
        CHECK(wrong == 0);
    }
    check_values(sn::transpose(sn::reshape(sn::arange<int>(6), {2, 3})), {0, 3, 1, 4, 2, 5});
    check_values(sn::slice(sn::arange<int>(10), range(8, 1, -3)), {8, 5, 2});
    check_values(sn::broadcast_to(sn::arange<int>(3), sn::shape<2>{2, 3}), {0, 1, 2, 0, 1, 2});
    check_values(sn::expand_dims<1>(sn::arange<int>(3)) * 10 + sn::arange<int>(2), {0, 1, 10, 11, 20, 21});
    const sn::tensor<double, 2> far = sn::expand_dims<1>(sn::arange<double>(300)) * 1000 + sn::arange<double>(70);
    CHECK(far(299, 69) == 299069);
    CHECK(far(131, 7) == 131007);
}

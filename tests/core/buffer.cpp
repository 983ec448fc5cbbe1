// tests/core/buffer.cpp -- memory: shared until written, given back, reused, and refused when there is none.

#include "support/tensors.hpp"

TEST_CASE("copies share memory until one of them writes") {
    sn::tensor<int, 1> a{1, 2, 3};
    const sn::tensor<int, 1> b = a;
    CHECK(a.data() == b.data());
    a.span()[0] = 10;
    CHECK(a.data() != b.data());
    CHECK(a(0) == 10);
    CHECK(b(0) == 1);
}

TEST_CASE("a tensor that owns its memory alone writes in place") {
    sn::tensor<float, 1> a = sn::arange<float>(100);
    const float* const memory = a.data();
    a = a * 2 + 1;
    CHECK(a.data() == memory);
    CHECK(a(99) == 199);
    a += a;
    CHECK(a.data() == memory);
    CHECK(a(99) == 398);
    a.at(3) = 0;
    CHECK(a.data() == memory);
}

TEST_CASE("a named expression keeps the values it was built from") {
    sn::tensor<float, 1> a{1, 2, 3};
    const auto twice = a * 2;
    a = twice;
    CHECK(values_of(a) == std::vector<float>{2, 4, 6});
    a = twice; // still twice the first values
    CHECK(values_of(a) == std::vector<float>{2, 4, 6});
    a.at(0) = 100;
    CHECK(values_of(twice) == std::vector<float>{2, 4, 6});
    a = twice + a;
    CHECK(values_of(a) == std::vector<float>{102, 8, 12});
    CHECK(values_of(twice) == std::vector<float>{2, 4, 6});
}

TEST_CASE("wrapped memory is used as it is, and its deleter runs once, with the last owner") {
    int deleted = 0;
    float values[] = {1, 2, 3, 4};
    {
        const auto w = sn::wrap(values, sn::shape<2>{2, 2}, [&](float* p) {
            CHECK(p == values);
            ++deleted;
        });
        CHECK(w.data() == values);
        auto copy = w;
        copy.at(0, 0) = 9; // a write to what is shared copies first
        CHECK(values[0] == 1);
        CHECK(deleted == 0);
    }
    CHECK(deleted == 1);
}

TEST_CASE("from copies") {
    float values[] = {1, 2, 3, 4};
    const auto t = sn::from(values, sn::shape<1>{4});
    values[0] = 100;
    CHECK(t(0) == 1);
}

TEST_CASE("released memory is used again, up to the limit, and can be given back") {
    // Under address sanitizer nothing is kept; then only the values are checked.
    sn::trim_pool();
    for (const std::int64_t n : {1, 1000, 100000, 3000000}) {
        for (int round = 0; round < 3; ++round) {
            sn::tensor<float, 1> t = sn::full<float>(float(round), n);
            CHECK(t(-1) == float(round));
            CHECK(reinterpret_cast<std::uintptr_t>(t.data()) % 64 == 0);
        }
    }
    sn::set_pool_limit(0);
    sn::tensor<float, 1> t = sn::ones<float>(3000000);
    CHECK(t(2999999) == 1);
    sn::set_pool_limit(std::size_t{1} << 30);
    sn::trim_pool();
}

TEST_CASE("a tensor that cannot be is an error that says its size") {
    CHECK(message_of<sn::out_of_memory>([] { sn::tensor<double, 1>(sn::shape<1>{std::int64_t{1} << 58}); }).find("bytes") !=
          std::string::npos);
    CHECK(message_of<sn::shape_error>([] { sn::tensor<double, 2>(sn::shape<2>{std::int64_t{1} << 40, std::int64_t{1} << 40}); }) ==
          "sinter: shape (1099511627776, 1099511627776): more bytes than 64 bits can count");
    CHECK(message_of<sn::shape_error>([] { sn::tensor<double, 2>(sn::shape<2>{3, -4}); }) ==
          "sinter: shape (3, -4): an extent cannot be negative");
}

// tests/expr/contract.cpp -- matrix products: vectors, matrices, batches, views and types, against three loops.

#include <numeric>

#include "support/tensors.hpp"

namespace {

template <class T>
sn::tensor<T, 2> filled(std::int64_t m, std::int64_t n, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    sn::tensor<T, 2> t(sn::shape<2>{m, n});
    for (T& v : t.span()) v = static_cast<T>(static_cast<int>(random() % 19) - 9); // small integers: exact in every order
    return t;
}

template <class A, class B>
auto by_loops(const A& a, const B& b) {
    using T = typename A::value_type;
    const sn::tensor<T, 2> x = a, y = b;
    element_vector<T> r;
    for (std::int64_t i = 0; i < x.shape()[0]; ++i)
        for (std::int64_t j = 0; j < y.shape()[1]; ++j) {
            std::conditional_t<std::is_integral_v<T>, std::uint64_t, T> sum = 0;
            for (std::int64_t k = 0; k < x.shape()[1]; ++k) sum += static_cast<decltype(sum)>(x(i, k)) * static_cast<decltype(sum)>(y(k, j));
            r.push_back(static_cast<T>(sum));
        }
    return r;
}

template <class A, class B>
void check_product(const A& a, const B& b, const std::string& what) {
    check_values(sn::matmul(a, b), by_loops(a, b), what);
}

} // namespace

TEST_CASE_TEMPLATE("products of matrices of any size and type", T, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                   std::uint32_t, std::uint64_t, float, double) {
    for (const std::int64_t m : {1, 2, 17, 200})
        for (const std::int64_t n : {1, 3, 33})
            for (const std::int64_t k : {1, 2, 31, 300})
                check_product(filled<T>(m, k, 1), filled<T>(k, n, 2),
                              std::to_string(m) + " x " + std::to_string(k) + " x " + std::to_string(n));
    check_product(filled<T>(450, 70, 3), filled<T>(70, 90, 4), "several panels");
}

TEST_CASE_TEMPLATE("views are read as they lie where that is possible", T, float, double, int) {
    const auto a = filled<T>(30, 40, 1), b = filled<T>(40, 20, 2), at = filled<T>(40, 30, 3), bt = filled<T>(20, 40, 4);
    check_product(sn::transpose(at), b, "transposed first");
    check_product(a, sn::transpose(bt), "transposed second");
    check_product(sn::transpose(at), sn::transpose(bt), "both transposed");
    check_product(a(range(3, 20), range(5, 25)), b(range(10, 30), range(2, 9)), "slices");
    check_product(sn::transpose(a(range(3, 20), range(5, 25))), a(range(3, 20), range(1, 9)), "a transposed slice");
    check_product(a(range(open, open, -1), all), b, "rows reversed");
    check_product(a(all, range(open, open, -1)), b(range(open, open, -1), all), "columns reversed");
    check_product(a(range(0, 30, 2), range(0, 40, 2)), b(range(0, 20), all), "every second");
    check_product(sn::broadcast_to(a(0, all), sn::shape<2>{30, 40}), b, "a repeated row");
    check_product(sn::broadcast_to(a(all, range(0, 1)), sn::shape<2>{30, 40}), b, "a repeated column");
    check_product(a * 2 + 1, sn::cast<T>(b > 0), "expressions");
    check_product(a(range(0, 1), all), b(all, range(0, 1)), "a row times a column");
    check_product(sn::slice(sn::transpose(at), range(0, 1), all), b, "a row of a transposed matrix");
}

TEST_CASE("vectors are rows in front and columns behind, and the result has no axis for them") {
    const sn::tensor<float, 2> a{{1, 2, 3}, {4, 5, 6}};
    const sn::tensor<float, 1> v{1, 10, 100}, w{1, 10};
    check_values(sn::matmul(a, v), {321, 654});
    check_values(sn::matmul(w, a), {41, 52, 63});
    check_values(sn::matmul(v, v), {10101});
    CHECK(sn::matmul(v, v).shape() == sn::shape<0>{});
    check_values(sn::matmul(sn::transpose(a), w), {41, 52, 63});
    check_values(sn::matmul(v, sn::transpose(a)), {321, 654});
    check_values(sn::matmul(a, v(range(open, open, -1))), {123, 456});
    check_values(sn::matmul(a(all, range(0, 3, 2)), v(range(0, 3, 2))), {301, 604});
    CHECK(std::is_same_v<decltype(sn::matmul(a, sn::cast<double>(v)))::value_type, double>);
    CHECK(std::is_same_v<decltype(sn::matmul(a, sn::cast<int>(v)))::value_type, float>);
    check_values(sn::matmul(a, sn::cast<int>(v)), {321, 654});
}

TEST_CASE("axes before the last two broadcast") {
    const sn::tensor<double, 3> a = sn::reshape(sn::arange<double>(24), {2, 3, 4});
    const sn::tensor<double, 2> b = sn::reshape(sn::arange<double>(20), {4, 5});
    const sn::tensor<double, 3> ab = sn::matmul(a, b);
    CHECK(ab.shape() == sn::shape<3>{2, 3, 5});
    for (int i = 0; i < 2; ++i) check_values(ab(i), by_loops(a(i), b));
    const sn::tensor<double, 4> c = sn::reshape(sn::arange<double>(60), {3, 1, 4, 5});
    const sn::tensor<double, 4> ac = sn::matmul(a, c);
    CHECK(ac.shape() == sn::shape<4>{3, 2, 3, 5});
    for (int p = 0; p < 3; ++p)
        for (int i = 0; i < 2; ++i) check_values(ac(p, i), by_loops(a(i), c(p, 0)));
    const sn::tensor<double, 3> turned = sn::matmul(sn::permute<0, 2, 1>(a), a);
    CHECK(turned.shape() == sn::shape<3>{2, 4, 4});
    check_values(turned(1), by_loops(sn::transpose(a(1)), a(1)));
    check_values(sn::matmul(a, sn::tensor<double, 1>{1, 0, 0, 1}), {3, 11, 19, 27, 35, 43});
}

TEST_CASE("no inner extent gives zeros, and no rows nothing") {
    check_values(sn::matmul(sn::zeros<float>(2, 0), sn::zeros<float>(0, 3)), {0, 0, 0, 0, 0, 0});
    check_values(sn::matmul(sn::zeros<int>(2, 0), sn::zeros<int>(0)), {0, 0});
    CHECK(sn::eval(sn::matmul(sn::zeros<float>(0, 2), sn::zeros<float>(2, 3))).shape() == sn::shape<2>{0, 3});
    CHECK(sn::eval(sn::matmul(sn::zeros<double>(4, 0, 2), sn::zeros<double>(2, 0))).shape() == sn::shape<3>{4, 0, 0});
}

TEST_CASE("extents that do not fit are refused with both shapes") {
    const auto a = sn::zeros<float>(2, 3);
    CHECK(message_of<sn::shape_error>([&] { (void)sn::matmul(a, a); }) ==
          "sinter: matmul: shapes (2, 3) and (2, 3): the last extent of the first, 3, must equal the second last of the second, 2; transpose one?");
    CHECK(message_of<sn::shape_error>([&] { (void)sn::matmul(sn::zeros<float>(2, 3, 4), sn::zeros<float>(3, 4, 5)); }).find("do not broadcast") !=
          std::string::npos);
}

TEST_CASE("what follows a product applies to all of it") {
    const auto a = filled<double>(5, 4, 1), b = filled<double>(4, 3, 2);
    const sn::tensor<double, 1> bias{1, 2, 3};
    const sn::tensor<double, 2> r = 10 * (sn::matmul(a, b) + bias);
    const auto product = by_loops(a, b);
    for (int i = 0; i < 5; ++i)
        for (int j = 0; j < 3; ++j) CHECK(r(i, j) == 10 * (product[static_cast<std::size_t>(3 * i + j)] + bias(j)));
    check_values(sn::sum(sn::matmul(a, b)), {std::accumulate(product.begin(), product.end(), 0.0)});
    sn::tensor<double, 2> square = filled<double>(6, 6, 3);
    const auto squared = by_loops(square, square);
    square = sn::matmul(square, square);
    check_values(square, squared);
}

TEST_CASE("large products are as accurate as BLAS") {
    const sn::tensor<double, 2> a = sn::random::normal<double>(sn::random::key(1), 300, 257), b = sn::random::normal<double>(sn::random::key(2), 257, 211);
    const auto wanted = by_loops(a, b);
    const auto given = values_of(sn::matmul(a, b));
    double worst = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) worst = std::max(worst, std::abs(given[i] - wanted[i]));
    CHECK(worst < 1e-12);
}

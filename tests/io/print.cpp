// tests/io/print.cpp -- printing is NumPy's, to the character. The expected texts are NumPy 2.2's print(a).

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <sstream>

#include <sinter/io/print.hpp>

namespace sn = sinter;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// first, first + step, …
template <class T, int N>
sn::tensor<T, N> counting(const sn::shape<N>& shape, T first = 0, T step = 1) {
    sn::tensor<T, N> r(shape);
    for (std::int64_t i = 0; i < r.size(); ++i) r.mutable_data()[i] = static_cast<T>(first + static_cast<T>(i) * step);
    return r;
}

template <class T>
std::string printed(std::initializer_list<T> values) {
    return sn::to_string(sn::tensor<T, 1>(values));
}

template <class T>
std::string printed_scalar(T value) {
    return sn::to_string(sn::tensor<T, 0>(value));
}

} // namespace

TEST_CASE("floats have the fewest digits that read back, and a common width") {
    CHECK(printed<double>({1, 2.5, 3}) == "[1.  2.5 3. ]");
    CHECK(printed<double>({-1, 0.5}) == "[-1.   0.5]");
    CHECK(printed<double>({-0.0, 0.0}) == "[-0.  0.]");
    CHECK(printed<float>({0.1f, 100.f}) == "[  0.1 100. ]");
    CHECK(printed<double>({0}) == "[0.]");
}

TEST_CASE("eight digits after the point at most, rounded from the exact value") {
    CHECK(printed<double>({1.0 / 3, 2.0 / 3}) == "[0.33333333 0.66666667]");
    CHECK(printed<double>({0.12345678949}) == "[0.12345679]");
    CHECK(printed<double>({0.999999999}) == "[1.]");
    CHECK(printed<float>({0.33333334f}) == "[0.33333334]");
    CHECK(printed<float>({12.345679f, 3.f}) == "[12.345679  3.      ]");
}

TEST_CASE("scientific form from 1e8, below 1e-4, or where values differ a thousandfold") {
    CHECK(printed<double>({99999999}) == "[99999999.]");
    CHECK(printed<double>({1e8, 1}) == "[1.e+08 1.e+00]");
    CHECK(printed<double>({0.0001}) == "[0.0001]");
    CHECK(printed<double>({0.00009, 0}) == "[9.e-05 0.e+00]");
    CHECK(printed<double>({1, 1000}) == "[   1. 1000.]");
    CHECK(printed<double>({1, 1001}) == "[1.000e+00 1.001e+03]");
    CHECK(printed<double>({1e-300, 1e5}) == "[1.e-300 1.e+005]");
    CHECK(printed<double>({-1.5e10, 2.25e-7}) == "[-1.50e+10  2.25e-07]");
    CHECK(printed<double>({5e-324, 1.7976931348623157e308}) == "[4.94065646e-324 1.79769313e+308]");
    CHECK(printed<double>({123456789.123, 0.1}) == "[1.23456789e+08 1.00000000e-01]");
}

TEST_CASE("float32 has the digits of float32, and those of the value itself beyond the shortest") {
    CHECK(printed<float>({12345.678f, 0.3f}) == "[1.2345678e+04 3.0000001e-01]");
    CHECK(printed<float>({67108872.f}) == "[67108872.]");
    CHECK(printed<float>({33554436.f, 1e6f}) == "[33554436.  1000000.]");
    CHECK(printed<float>({1234567.8f}) == "[1234567.8]");
    CHECK(printed<float>({1e-4f}) == "[0.0001]");
    CHECK(printed<float>({3e-39f, 1e38f}) == "[3.e-39 1.e+38]");
    CHECK(printed<float>({3.4028235e38f}) == "[3.4028235e+38]");
}

TEST_CASE("nan and infinities align with numbers and do not choose their form") {
    CHECK(printed<double>({not_a_number, 1, infinity}) == "[nan  1. inf]");
    CHECK(printed<double>({not_a_number, -infinity}) == "[ nan -inf]");
    CHECK(printed<double>({not_a_number, not_a_number}) == "[nan nan]");
    CHECK(printed<double>({infinity, 1.25, -infinity}) == "[ inf 1.25 -inf]");
    CHECK(printed<double>({1e20, not_a_number}) == "[1.e+20    nan]");
    CHECK(printed<float>({-std::numeric_limits<float>::infinity(), 12345.f}) == "[  -inf 12345.]");
    CHECK(printed<double>({std::copysign(not_a_number, -1.0), 2}) == "[nan  2.]");
}

TEST_CASE("integers are right-aligned, to the ends of their ranges") {
    CHECK(printed<std::int32_t>({1, -20, 300}) == "[  1 -20 300]");
    CHECK(printed<std::int8_t>({-128, 127}) == "[-128  127]");
    CHECK(printed<std::uint8_t>({65, 255}) == "[ 65 255]");
    CHECK(printed<std::int64_t>({std::numeric_limits<std::int64_t>::min(), 0}) ==
          "[-9223372036854775808                    0]");
    CHECK(printed<std::uint64_t>({std::numeric_limits<std::uint64_t>::max()}) == "[18446744073709551615]");
}

TEST_CASE("bools are padded to five characters") {
    CHECK(printed<bool>({true, false}) == "[ True False]");
    CHECK(printed<bool>({true, true}) == "[ True  True]");
}

TEST_CASE("a rank-0 tensor prints as its value") {
    CHECK(printed_scalar(1.5) == "1.5");
    CHECK(printed_scalar(3.0) == "3.0");
    CHECK(printed_scalar(-0.0) == "-0.0");
    CHECK(printed_scalar(0.1f) == "0.1");
    CHECK(printed_scalar(1.0 / 3) == "0.3333333333333333");
    CHECK(printed_scalar(123456789.123) == "123456789.123");
    CHECK(printed_scalar(1e16) == "1e+16");
    CHECK(printed_scalar(1.5e-5) == "1.5e-05");
    CHECK(printed_scalar(67108872.f) == "67108870.0");
    CHECK(printed_scalar(not_a_number) == "nan");
    CHECK(printed_scalar(-infinity) == "-inf");
    CHECK(printed_scalar(std::int8_t{-5}) == "-5");
    CHECK(printed_scalar(std::uint8_t{65}) == "65");
    CHECK(printed_scalar(true) == "True");
    CHECK(printed_scalar(false) == "False");
}

TEST_CASE("a tensor without elements prints as []") {
    CHECK(sn::to_string(sn::tensor<float, 1>(sn::shape<1>{0})) == "[]");
    CHECK(sn::to_string(sn::tensor<float, 2>(sn::shape<2>{2, 0})) == "[]");
    CHECK(sn::to_string(sn::tensor<bool, 3>(sn::shape<3>{0, 4, 5})) == "[]");
}

TEST_CASE("rows are aligned in columns, blocks separated by empty lines") {
    CHECK(sn::to_string(sn::tensor<double, 2>{{1, 2.5}, {-3, 10}}) == "[[ 1.   2.5]\n [-3.  10. ]]");
    CHECK(sn::to_string(counting<std::int32_t, 3>({2, 2, 3})) ==
          "[[[ 0  1  2]\n  [ 3  4  5]]\n\n [[ 6  7  8]\n  [ 9 10 11]]]");
    CHECK(sn::to_string(counting<std::int32_t, 4>({2, 1, 2, 1})) == "[[[[0]\n   [1]]]\n\n\n [[[2]\n   [3]]]]");
}

TEST_CASE("long rows continue below their first element") {
    CHECK(sn::to_string(counting<std::int64_t, 1>({30})) ==
          "[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23\n"
          " 24 25 26 27 28 29]");
    CHECK(sn::to_string(counting<double, 2>({2, 12}, 0.125, 0.25)) ==
          "[[0.125 0.375 0.625 0.875 1.125 1.375 1.625 1.875 2.125 2.375 2.625 2.875]\n"
          " [3.125 3.375 3.625 3.875 4.125 4.375 4.625 4.875 5.125 5.375 5.625 5.875]]");
    CHECK(sn::to_string(counting<double, 2>({2, 13}, 0.5, 0.5)) ==
          "[[ 0.5  1.   1.5  2.   2.5  3.   3.5  4.   4.5  5.   5.5  6.   6.5]\n"
          " [ 7.   7.5  8.   8.5  9.   9.5 10.  10.5 11.  11.5 12.  12.5 13. ]]");
    CHECK(sn::to_string(counting<double, 1>({20}, 1, 0.5)) ==
          "[ 1.   1.5  2.   2.5  3.   3.5  4.   4.5  5.   5.5  6.   6.5  7.   7.5\n"
          "  8.   8.5  9.   9.5 10.  10.5]");
}

TEST_CASE("beyond 1000 elements, long axes show three entries at each end") {
    CHECK(sn::to_string(counting<std::int64_t, 1>({1001})) == "[   0    1    2 ...  998  999 1000]");
    CHECK(sn::to_string(counting<std::int64_t, 2>({7, 200})) == "[[   0    1    2 ...  197  198  199]\n"
                                                                " [ 200  201  202 ...  397  398  399]\n"
                                                                " [ 400  401  402 ...  597  598  599]\n"
                                                                " ...\n"
                                                                " [ 800  801  802 ...  997  998  999]\n"
                                                                " [1000 1001 1002 ... 1197 1198 1199]\n"
                                                                " [1200 1201 1202 ... 1397 1398 1399]]");
    CHECK(sn::to_string(counting<std::int64_t, 3>({2, 2, 300})) == "[[[   0    1    2 ...  297  298  299]\n"
                                                                   "  [ 300  301  302 ...  597  598  599]]\n\n"
                                                                   " [[ 600  601  602 ...  897  898  899]\n"
                                                                   "  [ 900  901  902 ... 1197 1198 1199]]]");
    CHECK(sn::to_string(counting<float, 2>({1001, 1}, 0, 0.5f)) ==
          "[[  0. ]\n [  0.5]\n [  1. ]\n ...\n [499. ]\n [499.5]\n [500. ]]");
}

TEST_CASE("exactly 1000 elements are all shown") {
    const std::string text = sn::to_string(counting<std::int64_t, 1>({1000}));
    CHECK(text.find("...") == std::string::npos);
    CHECK(text.ends_with("\n 990 991 992 993 994 995 996 997 998 999]"));
}

TEST_CASE("only shown elements decide width and form") {
    auto x = counting<double, 1>({2000}, 1, 0);
    x.mutable_data()[1000] = 1e20;
    CHECK(sn::to_string(x) == "[1. 1. 1. ... 1. 1. 1.]");
}

TEST_CASE("a tensor goes into a stream") {
    std::ostringstream stream;
    stream << sn::tensor<float, 1>{1, 2} << ' ' << sn::tensor<float, 0>(0.5f);
    CHECK(stream.str() == "[1. 2.] 0.5");
}

// tests/expr/reduce.cpp -- reductions: every one, over every set of axes, of every layout and type, against plain loops.

#include "support/tensors.hpp"

namespace {

/// What a reduction gives for the elements that fall together, said plainly.
template <class T>
struct plain {
    using wide = sn::detail::accumulated<T>;
    static wide sum(const std::vector<T>& v) {
        long double r = 0;
        std::uint64_t wrapped = 0;
        for (T x : v) r += x, wrapped += static_cast<std::uint64_t>(x);
        return std::is_floating_point_v<T> ? static_cast<wide>(r) : static_cast<wide>(wrapped);
    }
    static wide prod(const std::vector<T>& v) {
        long double r = 1;
        std::uint64_t wrapped = 1;
        for (T x : v) r *= x, wrapped *= static_cast<std::uint64_t>(x);
        return std::is_floating_point_v<T> ? static_cast<wide>(r) : static_cast<wide>(wrapped);
    }
    static T min(const std::vector<T>& v) { return v[static_cast<std::size_t>(argmin(v))]; }
    static T max(const std::vector<T>& v) { return v[static_cast<std::size_t>(argmax(v))]; }
    static std::int64_t argmin(const std::vector<T>& v) {
        std::size_t best = 0;
        for (std::size_t i = 1; i < v.size(); ++i)
            if (v[best] == v[best] && !(v[i] >= v[best])) best = i;
        return static_cast<std::int64_t>(best);
    }
    static std::int64_t argmax(const std::vector<T>& v) {
        std::size_t best = 0;
        for (std::size_t i = 1; i < v.size(); ++i)
            if (v[best] == v[best] && !(v[i] <= v[best])) best = i;
        return static_cast<std::int64_t>(best);
    }
};

enum class over { rows, columns, both };

/// The elements of a (rows, columns) matrix that fall together.
template <class T>
std::vector<std::vector<T>> groups(const std::vector<T>& values, std::int64_t rows, std::int64_t columns, over axes) {
    std::vector<std::vector<T>> r(axes == over::both ? 1 : static_cast<std::size_t>(axes == over::rows ? columns : rows));
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < columns; ++j)
            r[static_cast<std::size_t>(axes == over::both ? 0 : axes == over::rows ? j : i)].push_back(
                values[static_cast<std::size_t>(i * columns + j)]);
    return r;
}

template <class R, class T, class F>
std::vector<R> each(const std::vector<std::vector<T>>& g, F f) {
    std::vector<R> r;
    for (const auto& v : g) r.push_back(static_cast<R>(f(v)));
    return r;
}

/// Equal, but for rounding where T is floating.
template <class T>
void check_close(const std::vector<T>& given, const std::vector<T>& wanted, double relative, const std::string& what) {
    REQUIRE(given.size() == wanted.size());
    for (std::size_t i = 0; i < given.size(); ++i) {
        if (same_value(given[i], wanted[i])) continue;
        const bool close = std::abs(double(given[i]) - double(wanted[i])) <= relative * std::max(1.0, std::abs(double(wanted[i])));
        CHECK_MESSAGE((std::is_floating_point_v<T> && close), what, ": ", shown(given[i]), ", not ", shown(wanted[i]));
        if (!close) return;
    }
}

template <class T, class E, class Axes>
void check_axes(const E& e, const std::vector<T>& values, std::int64_t rows, std::int64_t columns, Axes axes, over which, const std::string& name) {
    using P = plain<T>;
    using wide = typename P::wide;
    const auto g = groups(values, rows, columns, which);
    const double relative = sizeof(T) == 4 ? 2e-6 : 1e-14;
    check_close(values_of(sn::sum(e, axes)), each<wide>(g, P::sum), relative * 20, name + " sum");
    check_close(values_of(sn::prod(e, axes)), each<wide>(g, P::prod), relative * 20, name + " prod");
    check_same(values_of(sn::min(e, axes)), each<T>(g, P::min), name + " min");
    check_same(values_of(sn::max(e, axes)), each<T>(g, P::max), name + " max");
    check_same(values_of(sn::argmin(e, axes)), each<std::int64_t>(g, P::argmin), name + " argmin");
    check_same(values_of(sn::argmax(e, axes)), each<std::int64_t>(g, P::argmax), name + " argmax");
}

/// Few different values, so that ties occur; of floats none beyond 1, so that products stay finite in every order.
template <class T>
T small_value(std::mt19937_64& random) {
    const int k = static_cast<int>(random() % 5);
    return std::is_floating_point_v<T> ? static_cast<T>(k - 2) / 2 : static_cast<T>(k);
}

template <class T>
void check_type() {
    std::mt19937_64 random(42);
    for (const auto& [rows, columns] : {std::pair{1, 1}, {1, 70}, {70, 1}, {5, 3}, {130, 17}, {3, 600}, {300, 40}, {37, 129}}) {
        // Small values, so that products stay finite and ties occur.
        for (const auto& c : layouts<T>(rows, columns, [&](std::int64_t) { return small_value<T>(random); })) {
            const std::string name = c.name + " (" + std::to_string(rows) + ", " + std::to_string(columns) + ")";
            check_axes(c.e, c.values, rows, columns, axis<0>, over::rows, name + " over axis 0");
            check_axes(c.e, c.values, rows, columns, axis<-1>, over::columns, name + " over axis 1");
            check_axes(c.e, c.values, rows, columns, all, over::both, name + " over all");
        }
    }
}

} // namespace

TEST_CASE_TEMPLATE("reductions of signed integers and floats", T, std::int8_t, std::int32_t, std::int64_t, float, double) {
    check_type<T>();
}
TEST_CASE_TEMPLATE("reductions of unsigned integers and shorts", T, std::uint8_t, std::int16_t, std::uint16_t, std::uint32_t, std::uint64_t) {
    check_type<T>();
}

TEST_CASE("bool reduces by truth and by count") {
    const sn::tensor<bool, 2> b{{true, true}, {false, true}, {true, true}};
    check_values(all(b, axis<1>), {true, false, true});
    check_values(all(b, axis<0>), {false, true});
    check_values(sn::any(!b, axis<1>), {false, true, false});
    check_values(sn::sum(b), {5});
    check_values(sn::sum(b, axis<0>), {2, 3});
    check_values(sn::min(b, axis<0>), {false, true});
    check_values(sn::max(b), {true});
    check_values(sn::argmin(b, axis<0>), {1, 0});
    check_values(sn::count_nonzero(b, axis<1>), {2, 1, 2});
    check_values(sn::count_nonzero(sn::tensor<float, 1>{0, -0.f, 2, std::nanf("")}), {2});
    CHECK(std::is_same_v<decltype(sn::sum(b))::value_type, std::int64_t>);
    check_values(all(sn::tensor<int, 1>{1, 2, 0}), {false});
    check_values(sn::any(sn::tensor<float, 1>{0, 0.5f}), {true});
}

TEST_CASE("integers accumulate in 64 bits, and wrap there") {
    check_values(sn::sum(sn::full<std::int8_t>(100, 1000)), {100000});
    check_values(sn::sum(sn::full<std::uint32_t>(4000000000u, 10)), {40000000000u});
    check_values(sn::prod(sn::full<std::int32_t>(1 << 16, 3)), {std::int64_t{1} << 48});
    check_values(sn::sum(sn::tensor<std::int64_t, 1>{INT64_MAX, 1}), {INT64_MIN});
}

TEST_CASE("NaN wins minimum, maximum and their positions; the first of equal values is taken") {
    const float nan = std::nanf(""), inf = std::numeric_limits<float>::infinity();
    for (const std::int64_t n : {4, 33, 1000, 50000}) {
        for (const std::int64_t at : {std::int64_t{0}, n / 2, n - 1}) {
            sn::tensor<float, 1> x = sn::ones<float>(n);
            CHECK(sn::eval(sn::argmax(x))() == 0);
            x.at(at) = -inf;
            CHECK(sn::eval(sn::argmin(x))() == at);
            x.at(n - 1) = nan;
            CHECK(std::isnan(sn::eval(sn::max(x))()));
            CHECK(std::isnan(sn::eval(sn::min(x))()));
            CHECK(sn::eval(sn::argmax(x))() == n - 1);
            x.at(at) = nan;
            CHECK(sn::eval(sn::argmin(x))() == std::min(at, n - 1));
        }
    }
    check_values(sn::argmax(sn::full<float>(-inf, 5)), {0});
    check_values(sn::argmin(sn::full<float>(inf, 70)), {0});
    check_values(sn::argmax(sn::full<std::int8_t>(-128, 70)), {0});
    check_values(sn::argmax(sn::tensor<float, 2>{{1, 3, 3}, {2, 0, 2}}, axis<1>), {1, 0});
    check_values(sn::argmax(sn::tensor<float, 2>{{1, 3, 3}, {2, 9, 2}}), {4});
}

TEST_CASE("empty reductions: identities, or an error where there is none") {
    const auto none = sn::zeros<float>(0, 3);
    check_values(sn::sum(none, axis<0>), {0, 0, 0});
    check_values(sn::prod(none), {1});
    check_values(all(none), {true});
    check_values(sn::any(none), {false});
    check_values(sn::sum(none, axis<1>), {});
    check_values(sn::max(sn::zeros<float>(0, 2), axis<1>), {});
    CHECK(message_of<sn::shape_error>([&] { (void)sn::max(none); }) ==
          "sinter: max: shape (0, 3) has no elements along the reduced axes, and max of nothing has no value");
    CHECK(message_of<sn::shape_error>([&] { (void)sn::argmin(none, axis<0>); }).starts_with("sinter: argmin: shape (0, 3)"));
    CHECK(message_of<sn::shape_error>([&] { (void)sn::mean(sn::zeros<int>(0)); }).starts_with("sinter: mean: shape (0,)"));
    CHECK(std::isnan(sn::eval(sn::mean(sn::zeros<float>(0)))()));
}

TEST_CASE("keepdims leaves axes of extent 1, so that the result broadcasts back") {
    const sn::tensor<float, 3> x = sn::reshape(sn::arange<float>(24), {2, 3, 4});
    CHECK(sn::sum(x, axis<1>).shape() == sn::shape<2>{2, 4});
    CHECK(sn::sum(x, axis<1>, keepdims).shape() == sn::shape<3>{2, 1, 4});
    CHECK(sn::sum(x, axis<0, -1>).shape() == sn::shape<1>{3});
    CHECK(sn::sum(x, axis<0, 2>, keepdims).shape() == sn::shape<3>{1, 3, 1});
    CHECK(sn::sum(x).shape() == sn::shape<0>{});
    CHECK(sn::sum(x, keepdims).shape() == sn::shape<3>{1, 1, 1});
    CHECK(sn::sum(x, all, keepdims).shape() == sn::shape<3>{1, 1, 1});
    check_values(sn::sum(x, axis<0, 2>), {60, 92, 124});
    check_values(sn::sum(x, axis<1>), {12, 15, 18, 21, 48, 51, 54, 57});
    check_values(sn::argmax(x, axis<0, 2>), {7, 7, 7});
    check_values(sn::sum(sn::permute<2, 0, 1>(x), axis<0, 2>), {66, 210});
    check_values(sn::max(sn::sum(x - sn::mean(x, axis<2>, keepdims), axis<2>)), {0});
}

TEST_CASE("mean, var, stddev and norm") {
    const sn::tensor<double, 2> x{{1, 2, 3, 4}, {2, 4, 6, 10}};
    check_values(sn::mean(x, axis<1>), {2.5, 5.5});
    check_values(sn::var(x, axis<1>), {1.25, 8.75});
    check_values(sn::var(x, axis<1>, sn::ddof{1}), {5.0 / 3, 35.0 / 3});
    check_values(sn::stddev(x, axis<1>, keepdims), {std::sqrt(1.25), std::sqrt(8.75)});
    check_values(sn::norm(sn::tensor<float, 1>{3, 4}), {5});
    check_values(sn::mean(sn::tensor<int, 1>{1, 2}), {1.5});
    check_values(sn::mean(sn::tensor<bool, 1>{true, false}), {0.5});
    check_values(sn::norm(sn::tensor<int, 2>{{3, 4}, {6, 8}}, axis<1>), {5, 10});
    // Far from zero the squares would swamp the variance; two passes do not.
    const sn::tensor<double, 1> far = sn::arange<double>(1001) + 1e9;
    check_values(sn::var(far), {83500});
    CHECK(std::isnan(sn::eval(sn::var(sn::tensor<float, 1>{1}, sn::ddof{1}))()));
}

TEST_CASE("what is reduced fuses, and what uses the result too") {
    const sn::tensor<float, 2> x = sn::reshape(sn::arange<float>(6), {2, 3});
    check_values(sn::sum(x * x + 1, axis<1>), {8, 53});
    check_values(sn::sum(sn::transpose(x) * 2, axis<0>), {6, 24});
    check_values((x - sn::min(x)) / (sn::max(x) - sn::min(x)), {0, 0.2f, 0.4f, 0.6f, 0.8f, 1});
    check_values(sn::sum(sn::sum(x, axis<0>) * 2), {30});
    check_values(sn::sum(x * sn::tensor<float, 2>{{1}, {10}}, axis<0>), {30, 41, 52});
    check_values(sn::sum(sn::tensor<float, 0>(3)), {3});
    check_values(sn::sum(x(all, newaxis, all), axis<1>), {0, 1, 2, 3, 4, 5});
}

TEST_CASE("long sums are accurate, because blocks are added pairwise") {
    const std::int64_t n = 20'000'000;
    const sn::tensor<float, 1> x = sn::full<float>(0.1f, n);
    CHECK(std::abs(sn::eval(sn::sum(x))() / (0.1f * double(n)) - 1) < 1e-6);
    const sn::tensor<float, 2> columns = sn::full<float>(0.1f, n / 20, 20);
    for (const float v : values_of(sn::sum(columns, axis<0>))) CHECK(std::abs(v / (0.1f * double(n / 20)) - 1) < 1e-5);
}

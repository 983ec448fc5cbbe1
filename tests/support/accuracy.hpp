// tests/support/accuracy.hpp -- the greatest error of a function of the table, over chosen, random and all arguments.
#pragma once

#include <random>
#include <string>
#include <vector>

#include <sinter/sinter.hpp>

#include "support/oracle.hpp"

namespace accuracy {

/// The worst that was found.
template <class T>
struct measured {
    double ulp = 0;
    T x = 0, y = 0, given = 0;
    std::int64_t points = 0;
};

/// Arguments at which functions change their nature.
template <class T>
std::vector<T> edges() {
    using limits = std::numeric_limits<T>;
    std::vector<T> r;
    const auto add = [&](long double v) {
        const auto t = static_cast<T>(v);
        for (const T w : {t, std::nextafter(t, -limits::infinity()), std::nextafter(t, limits::infinity())}) {
            r.push_back(w);
            r.push_back(-w);
        }
    };
    for (const long double v : {0.0L, 0.25L, 0.5L, 0.75L, 1.0L, 1.5L, 2.0L, 2.5L, 3.0L, 4.0L, 5.0L, 6.0L, 8.0L, 9.0L, 10.0L, 27.0L, 88.0L, 89.0L, 104.0L, 127.0L, 128.0L,
                                149.0L, 150.0L, 171.0L, 172.0L, 184.0L, 709.0L, 710.0L, 745.0L, 746.0L, 1022.0L, 1023.0L, 1024.0L, 1074.0L, 1075.0L, 1e10L, 1e19L, 1e22L})
        add(v);
    for (int k = 1; k < 20; ++k) add(k * 0.78539816339744830961566084581988L);
    for (const T v : {limits::max(), limits::min(), limits::denorm_min(), limits::epsilon(), limits::infinity(), limits::quiet_NaN()}) {
        r.push_back(v);
        r.push_back(-v);
    }
    return r;
}

/// Half of the arguments have random bits, the others are spread over where most functions have something to show.
template <class T>
T argument(std::mt19937_64& random) {
    using U = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    const std::uint64_t word = random();
    if (word % 2) {
        const U bits = static_cast<U>(random());
        T v;
        std::memcpy(&v, &bits, sizeof(T));
        return v;
    }
    const T unit = static_cast<T>(static_cast<double>(random() >> 11) * 0x1p-53 * 2 - 1);
    constexpr T ranges[] = {T(0.7), T(1), T(2), T(4), T(12), T(40), T(180), T(760)};
    return unit * ranges[word / 2 % 8];
}

template <class Op, class T>
void check(measured<T>& worst, const sinter::tensor<T, 1>& x, const sinter::tensor<T, 1>& y) {
    sinter::tensor<T, 1> result;
    if constexpr (Op::args == 1)
        result = sinter::detail::make_elementwise<Op>(x);
    else
        result = sinter::detail::make_elementwise<Op>(x, y);
    for (std::int64_t i = 0; i < x.size(); ++i) {
        const T a = x.data()[i], b = Op::args == 1 ? T(0) : y.data()[i], given = result.data()[i];
        double error = oracle::estimated_error(Op::name, given, a, b);
        if (error <= worst.ulp) continue;
        error = oracle::ulp_error(Op::name, given, a, b);
        if (error > worst.ulp) worst = {error, a, b, given, worst.points};
    }
    worst.points += x.size();
}

/// Edges, for two operands in all pairs, and `points` random arguments.
template <class Op, class T>
measured<T> measure(std::int64_t points, std::uint64_t seed) {
    measured<T> worst;
    const auto e = edges<T>();
    std::vector<T> xs, ys;
    for (const T a : e) {
        if (Op::args == 1) {
            xs.push_back(a);
            ys.push_back(0);
        } else {
            for (const T b : e) xs.push_back(a), ys.push_back(b);
        }
    }
    const auto as_tensor = [](const std::vector<T>& v) { return sinter::from(v.data(), sinter::shape<1>{static_cast<std::int64_t>(v.size())}); };
    check<Op, T>(worst, as_tensor(xs), as_tensor(ys));
    std::mt19937_64 random(seed);
    constexpr std::int64_t block = 16384;
    for (std::int64_t done = 0; done < points; done += block) {
        xs.assign(static_cast<std::size_t>(std::min(block, points - done)), T(0));
        ys = xs;
        for (T& v : xs) v = argument<T>(random);
        if (Op::args == 2)
            for (T& v : ys) v = argument<T>(random);
        check<Op, T>(worst, as_tensor(xs), as_tensor(ys));
    }
    return worst;
}

} // namespace accuracy

// examples/options.cpp -- a million option quotes: implied volatilities, prices, Greeks. options DATA_FOLDER
// OUTPUT_FOLDER
//
// Functions such as normal_cdf() return expressions, and a formula made of them runs as one pass over the quotes when
// it is assigned to a tensor. What several formulas need is a tensor: computed once, in a pass of its own.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <numbers>
#include <vector>

#include <sinter/sinter.hpp>

#include "quotes.hpp"

namespace sn = sinter;
using series = sn::tensor<double, 1>;

namespace {

/// The normal distribution. erfc, not erf: it keeps its digits where the result is nearly 0.
auto normal_cdf(const auto& x) {
    return 0.5 * sn::erfc(x * (-0.5 * std::numbers::sqrt2));
}
auto normal_density(const auto& x) {
    return sn::exp(-0.5 * x * x) * (std::numbers::inv_sqrtpi / std::numbers::sqrt2);
}

/// What the formulas need of a quote and volatility does not change. The options are European, without dividends.
template <class T>
struct contracts {
    sn::tensor<T, 1> spot;
    sn::tensor<T, 1> discounted; // the strike, as it is worth today
    sn::tensor<T, 1> moneyness;  // log(spot / discounted)
    sn::tensor<T, 1> root;       // of the years
};

contracts<double> contracts_of(const quotes& q) {
    const series discounted = q.strike * sn::exp(-q.rate * q.years);
    return {q.spot, discounted, sn::log(q.spot / discounted), sn::sqrt(q.years)};
}

/// F. Black, M. Scholes: "The Pricing of Options and Corporate Liabilities", 1973. d2 is d1 less volatility * root.
template <class T>
auto d1_of(const contracts<T>& c, const auto& volatility) {
    const auto spread = volatility * c.root;
    return c.moneyness / spread + spread / 2;
}
template <class T>
auto call_price(const contracts<T>& c, const auto& volatility) {
    const auto d1 = d1_of(c, volatility);
    return c.spot * normal_cdf(d1) - c.discounted * normal_cdf(d1 - volatility * c.root);
}
template <class T>
auto put_price(const contracts<T>& c, const auto& volatility) {
    const auto d1 = d1_of(c, volatility);
    return c.discounted * normal_cdf(volatility * c.root - d1) - c.spot * normal_cdf(-d1);
}
template <class T>
auto vega_of(const contracts<T>& c, const auto& volatility) {
    return c.spot * c.root * normal_density(d1_of(c, volatility));
}

/// The volatility at which the formula gives the market's price; NaN where none does, or where eight steps of Newton's
/// method do not find it. They start at the point of inflection of the price (S. Manaster, G. Koehler, "The Calculation
/// of Implied Variances from the Black-Scholes Model", 1982), from where every step goes towards the solution.
series implied_volatility(const quotes& q, const contracts<double>& c) {
    // By put-call parity a put is worth as much as a call, less the spot, plus the discounted strike: so all become
    // calls.
    const series target = q.price + sn::where(q.is_call, 0.0, c.spot - c.discounted);
    const auto intrinsic = sn::maximum(c.spot - c.discounted, 0.0);
    const auto solvable = (target > intrinsic) && (target < c.spot);

    series v = sn::clamp(sn::sqrt(2 * sn::abs(c.moneyness)) / c.root, 0.05, 2.0);
    for (int step = 0; step < 8; ++step) // each is one pass, and writes over the v that it reads
        v = sn::clamp(v - (call_price(c, v) - target) / sn::maximum(vega_of(c, v), 1e-8), 0.01, 3.0);
    const auto reached = sn::abs(call_price(c, v) - target) < 1e-6;
    return sn::where(solvable && reached, v, std::nan(""));
}

/// The best time of five, in nanoseconds a quote, and so many quotes a second.
template <class F>
void timed(const char* what, std::int64_t quotes, F f) {
    using clock = std::chrono::steady_clock;
    double best = INFINITY;
    for (int run = 0; run < 5; ++run) {
        const auto start = clock::now();
        f();
        best = std::min(best, std::chrono::duration<double, std::nano>(clock::now() - start).count());
    }
    const double n = static_cast<double>(quotes);
    std::printf("  %-30s %8.2f ns a quote %9.1f million quotes/s\n", what, best / n, 1e3 * n / best);
}

/// Sorting is no operation of sinter: the values leave through span().
void print_smile(const quotes& q, const series& volatility) {
    constexpr double first = 0.6, step = 0.1;
    std::vector<std::vector<double>> buckets(9);
    const series ratio = q.strike / q.spot;
    for (std::int64_t i = 0; i < ratio.size(); ++i) {
        const auto b = static_cast<std::int64_t>(std::floor((ratio(i) - first) / step));
        if (b >= 0 && b < std::ssize(buckets) && !std::isnan(volatility(i))) buckets[b].push_back(volatility(i));
    }
    std::puts("\n  strike/spot    quotes  implied volatility: least  median  greatest");
    for (std::size_t b = 0; b < buckets.size(); ++b) {
        auto& values = buckets[b];
        if (values.empty()) continue;
        const auto middle = values.begin() + std::ssize(values) / 2;
        std::nth_element(values.begin(), middle, values.end());
        const double median = *middle, low = first + step * static_cast<double>(b);
        const auto [least, greatest] = std::ranges::minmax(values);
        std::printf("  %.1f to %.1f  %9zu  %24.3f  %6.3f  %8.3f  %s\n", low, low + step, values.size(), least, median,
                    greatest, std::string(static_cast<std::size_t>(median * 100), '*').c_str());
    }
}

void run(const std::string& output) {
    const std::string path = output + "/quotes.npz";
    if (!std::filesystem::exists(path)) make_quotes(path, 1'000'000);
    const quotes q{sn::load_npz<double, 1>(path, "spot"),  sn::load_npz<double, 1>(path, "strike"),
                   sn::load_npz<double, 1>(path, "years"), sn::load_npz<double, 1>(path, "rate"),
                   sn::load_npz<bool, 1>(path, "is_call"), sn::load_npz<double, 1>(path, "price")};
    const std::int64_t n = q.spot.size();
    std::printf("%lld quotes from %s\n", static_cast<long long>(n), path.c_str());

    const contracts<double> c = contracts_of(q);
    series v, call, put, delta, gamma, vega, theta, rho;
    timed("implied volatility, 8 steps", n, [&] { v = implied_volatility(q, c); });
    timed("calls, double", n, [&] { call = call_price(c, v); });
    timed("puts, double", n, [&] { put = put_price(c, v); });

    const series d1 = d1_of(c, v);
    const auto d2 = d1 - v * c.root;
    const auto sign = sn::where(q.is_call, 1.0, -1.0);
    timed("delta", n, [&] { delta = sign * normal_cdf(sign * d1); });
    timed("gamma", n, [&] { gamma = normal_density(d1) / (c.spot * v * c.root); });
    timed("vega", n, [&] { vega = c.spot * c.root * normal_density(d1); });
    timed("theta", n, [&] {
        theta = -0.5 * c.spot * v / c.root * normal_density(d1) - sign * q.rate * c.discounted * normal_cdf(sign * d2);
    });
    timed("rho", n, [&] { rho = sign * c.discounted * q.years * normal_cdf(sign * d2); });

    const auto narrow = [](const series& x) { return sn::tensor<float, 1>(sn::cast<float>(x)); };
    const contracts<float> f{narrow(c.spot), narrow(c.discounted), narrow(c.moneyness), narrow(c.root)};
    const sn::tensor<float, 1> v_float = narrow(v);
    sn::tensor<float, 1> call_float;
    timed("calls, float", n, [&] { call_float = call_price(f, v_float); });

    // NaN where nothing was solved would be the greatest of all.
    const auto solved = !sn::isnan(v);
    const auto greatest = [&](const auto& error) {
        return sn::eval(sn::max(sn::where(solved, sn::abs(error), 0.0)))();
    };
    std::printf("\n  solved %lld of %lld; most of the others cost no more than exercising them brings\n",
                static_cast<long long>(sn::eval(sn::count_nonzero(solved))()), static_cast<long long>(n));
    std::printf("  greatest error: price at implied volatility %.1e, put-call parity %.1e, calls in float %.1e\n",
                greatest(sn::where(q.is_call, call, put) - q.price), greatest(call - put - (c.spot - c.discounted)),
                greatest(sn::cast<double>(call_float) - call));
    print_smile(q, v);

    const auto save = [&](const char* name, const series& x) { sn::save_npy(output + "/" + name + ".npy", x); };
    save("implied_volatility", v);
    save("delta", delta);
    save("gamma", gamma);
    save("vega", vega);
    save("theta", theta);
    save("rho", rho);
    std::printf("\n  wrote implied_volatility, delta, gamma, vega, theta and rho to %s/*.npy\n", output.c_str());
}

} // namespace

int main(int count, char** arguments) {
    if (count != 3) {
        std::fputs("usage: options DATA_FOLDER OUTPUT_FOLDER\n", stderr);
        return 1;
    }
    try {
        run(arguments[2]);
    } catch (const sn::error& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
}

// examples/options.cpp -- prices, Greeks and implied volatilities of a million option quotes: options DATA_FOLDER OUTPUT_FOLDER
//
// Each formula below is one expression, and so one pass over the quotes, however many functions are in it.

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <numbers>

#include <sinter/sinter.hpp>

namespace sn = sinter;
using sn::range;
using series = sn::tensor<double, 1>;

namespace {

/// The distribution function and the density of the normal distribution.
auto normal_cdf(const auto& x) {
    return 0.5 * sn::erfc(x * -std::numbers::sqrt2 / 2);
}
auto normal_density(const auto& x) {
    return sn::exp(x * x * -0.5) * (std::numbers::inv_sqrtpi / std::numbers::sqrt2);
}

struct quotes {
    series spot, strike, years, rate;
    sn::tensor<bool, 1> is_call;
    series price; // what the market asks

    std::int64_t count() const { return spot.size(); }
};

/// Black and Scholes (1973), for any expressions of volatility.
auto d1(const quotes& q, const auto& volatility) {
    return (sn::log(q.spot / q.strike) + (q.rate + 0.5 * volatility * volatility) * q.years) / (volatility * sn::sqrt(q.years));
}
auto call_price(const quotes& q, const auto& volatility) {
    const auto d = d1(q, volatility);
    return q.spot * normal_cdf(d) - q.strike * sn::exp(-q.rate * q.years) * normal_cdf(d - volatility * sn::sqrt(q.years));
}
auto put_price(const quotes& q, const auto& volatility) {
    const auto d = d1(q, volatility);
    return q.strike * sn::exp(-q.rate * q.years) * normal_cdf(volatility * sn::sqrt(q.years) - d) - q.spot * normal_cdf(-d);
}
/// A put is a call, less the spot, plus the discounted strike.
auto price(const quotes& q, const auto& volatility) {
    return call_price(q, volatility) - sn::where(q.is_call, 0, q.spot - q.strike * sn::exp(-q.rate * q.years));
}
series model_price(const quotes& q, const series& volatility) {
    return price(q, volatility);
}
auto vega(const quotes& q, const auto& volatility) {
    return q.spot * normal_density(d1(q, volatility)) * sn::sqrt(q.years);
}

/// Quotes with a volatility smile, half calls and half puts, at prices rounded to cents as an exchange does.
void make_quotes(const std::string& path, std::int64_t n) {
    using sn::random::key, sn::random::uniform;
    quotes q{100 * sn::exp(0.2 * sn::random::normal<double>(key(1), n)), sn::zeros<double>(n), 0.05 + 2 * uniform<double>(key(3), n),
             0.01 + 0.04 * uniform<double>(key(4), n), sn::random::bernoulli(key(5), 0.5, n), sn::zeros<double>(n)};
    q.strike = sn::round(q.spot * sn::exp(0.25 * sn::random::normal<double>(key(2), n) * sn::sqrt(q.years)));
    const series moneyness = sn::log(q.strike / q.spot) / sn::sqrt(q.years);
    const series smile = 0.18 + 0.12 * moneyness * moneyness - 0.05 * moneyness + 0.01 * uniform<double>(key(6), n);
    q.price = sn::round(model_price(q, smile) * 100) / 100;
    sn::save_npz(path, {{"spot", q.spot}, {"strike", q.strike}, {"years", q.years}, {"rate", q.rate}, {"is_call", q.is_call}, {"price", q.price}});
}

quotes read_quotes(const std::string& path) {
    return {sn::load_npz<double, 1>(path, "spot"), sn::load_npz<double, 1>(path, "strike"), sn::load_npz<double, 1>(path, "years"),
            sn::load_npz<double, 1>(path, "rate"), sn::load_npz<bool, 1>(path, "is_call"),  sn::load_npz<double, 1>(path, "price")};
}

/// Eight steps of Newton's method, each one fused pass, from the inflection point of the price, from which it converges
/// (Manaster and Koehler, 1982). NaN where no volatility gives the price.
series implied_volatility(const quotes& q) {
    const auto discounted = q.strike * sn::exp(-q.rate * q.years);
    series v = sn::clamp(sn::sqrt(2 * sn::abs(sn::log(q.spot / discounted)) / q.years), 0.05, 3.0);
    for (int step = 0; step < 8; ++step) v = sn::clamp(v - (price(q, v) - q.price) / sn::maximum(vega(q, v), 1e-10), 0.001, 5.0);
    const auto intrinsic = sn::maximum(sn::where(q.is_call, q.spot - discounted, discounted - q.spot), 0.0);
    return sn::where((q.price > intrinsic + 0.005) & (sn::abs(model_price(q, v) - q.price) < 0.005), v, std::nan(""));
}

template <class F>
double seconds(F f) {
    const auto start = std::chrono::steady_clock::now();
    f();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void report(const char* what, double time, std::int64_t n) {
    std::printf("  %-34s %8.1f ms   %6.1f million quotes a second\n", what, time * 1e3, static_cast<double>(n) / time / 1e6);
}

void run(const std::string& output) {
    const std::string path = output + "/quotes.npz";
    if (!std::filesystem::exists(path)) make_quotes(path, 1'000'000);
    const quotes q = read_quotes(path);
    std::printf("%lld quotes from %s\n", static_cast<long long>(q.count()), path.c_str());

    series v, call, put, delta, gamma, theta, rho, vegas;
    v = implied_volatility(q); // once to warm up
    report("implied volatility, 8 steps", seconds([&] { v = implied_volatility(q); }), q.count());
    report("prices of calls and puts", seconds([&] {
               call = call_price(q, v);
               put = put_price(q, v);
           }),
           q.count());
    report("delta, gamma, vega, theta, rho", seconds([&] {
               const auto d = d1(q, v);
               const auto d2 = d - v * sn::sqrt(q.years);
               const auto discounted = q.strike * sn::exp(-q.rate * q.years);
               const auto sign = sn::where(q.is_call, 1.0, -1.0);
               delta = normal_cdf(d) - sn::where(q.is_call, 0, 1.0);
               gamma = normal_density(d) / (q.spot * v * sn::sqrt(q.years));
               vegas = vega(q, v);
               theta = q.spot * normal_density(d) * v / (-2 * sn::sqrt(q.years)) - sign * q.rate * discounted * normal_cdf(sign * d2);
               rho = sign * discounted * q.years * normal_cdf(sign * d2);
           }),
           q.count());

    const auto solved = !sn::isnan(v);
    const auto parity = sn::abs(call - put - (q.spot - q.strike * sn::exp(-q.rate * q.years)));
    const auto [count, worst_parity, worst_price] = sn::eval(sn::count_nonzero(solved), sn::max(sn::where(solved, parity, 0)),
                                                             sn::max(sn::where(solved, sn::abs(model_price(q, v) - q.price), 0)));
    std::printf("  solved %lld; the others are at or below what exercise would give\n", static_cast<long long>(count()));
    std::printf("  greatest error: of put-call parity %.1e, of the price at the implied volatility %.1e\n", worst_parity(), worst_price());

    std::printf("  the smile: strike / spot and implied volatility, half a year to a year\n");
    const auto moneyness = q.strike / q.spot;
    for (double low = 0.7; low < 1.35; low += 0.1) {
        const auto here = solved & (moneyness >= low) & (moneyness < low + 0.1) & (q.years >= 0.5) & (q.years < 1);
        const auto [total, number] = sn::eval(sn::sum(sn::where(here, v, 0)), sn::count_nonzero(here));
        const double mean = total() / static_cast<double>(number());
        std::printf("    %.1f to %.1f  %5.1f %%  %s\n", low, low + 0.1, mean * 100, std::string(static_cast<std::size_t>(mean * 150), '*').c_str());
    }
    sn::save_npz(output + "/options.npz", {{"implied_volatility", v}, {"delta", delta}, {"gamma", gamma}, {"vega", vegas}, {"theta", theta}, {"rho", rho}});
    sn::save_npy(output + "/implied_volatility.npy", v);
    std::printf("  wrote %s/options.npz and implied_volatility.npy\n", output.c_str());
}

} // namespace

int main(int count, char** arguments) {
    try {
        run(count > 2 ? arguments[2] : ".");
    } catch (const sn::error& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
}

// examples/quotes.cpp -- makes the quotes of options.cpp: what a market with a volatility smile would show. See
// quotes.hpp.

#include <numbers>

#include "quotes.hpp"

namespace sn = sinter;
using sn::random::key;
using series = sn::tensor<double, 1>;

namespace {

auto uniform(std::uint64_t stream, double low, double high, std::int64_t n) {
    return low + (high - low) * sn::random::uniform<double>(key(2024, stream), n);
}

auto normal_cdf(const auto& x) {
    return 0.5 * sn::erfc(x * (-0.5 * std::numbers::sqrt2));
}

} // namespace

void make_quotes(const std::string& path, std::int64_t n) {
    // Each is drawn here, once: an expression of random numbers would draw them again wherever it is used.
    const series spot = uniform(1, 80, 120, n);
    const series years = uniform(2, 0.1, 2, n);
    const series rate = uniform(3, 0.01, 0.05, n);
    const sn::tensor<bool, 1> is_call = sn::random::bernoulli(key(2024, 4), 0.5, n);

    // Strikes lie around the spot, the wider the longer the time, and are whole numbers.
    const series strike =
        sn::round(spot * sn::exp(0.2 * sn::random::normal<double>(key(2024, 5), n) * sn::sqrt(years)));

    // The smile: volatility grows away from the spot, and more for low strikes than for high ones.
    const auto distance = sn::log(strike / spot);
    const series volatility = 0.2 + 0.4 * sn::square(distance) - 0.12 * distance;

    const series spread = volatility * sn::sqrt(years);
    const series discounted = strike * sn::exp(-rate * years);
    const series d1 = sn::log(spot / discounted) / spread + spread / 2;
    const auto sign = sn::where(is_call, 1.0, -1.0);
    const series fair = sign * (spot * normal_cdf(sign * d1) - discounted * normal_cdf(sign * (d1 - spread)));

    // Half a cent of noise, then whole cents: so some options that are nearly worthless cost less than exercising them.
    const series price = sn::maximum(sn::round(100 * (fair + uniform(6, -0.005, 0.005, n))) / 100, 0);
    sn::save_npz(
        path,
        {{"spot", spot}, {"strike", strike}, {"years", years}, {"rate", rate}, {"is_call", is_call}, {"price", price}});
}

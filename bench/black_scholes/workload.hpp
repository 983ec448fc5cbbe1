// bench/black_scholes/workload.hpp -- prices of calls by Black and Scholes: heavy arithmetic, 4 inputs.
#pragma once

#include <numbers>

#include "support/measure.hpp"

struct black_scholes {
    static constexpr const char* workload = "black_scholes";
    static constexpr auto& sizes = bench::sizes;
    static constexpr double tolerance = 5e-5; // the difference of two amounts of about 50, in float
    static constexpr bool costly_reference = true;
    static constexpr float rate = 0.03f, half_root = std::numbers::sqrt2_v<float> / 2;

    bench::array<float> spot, strike, years, sigma, y;

    explicit black_scholes(bench::int64_t n) : spot(n), strike(n), years(n), sigma(n), y(n) {
        spot.fill(80, 120, 1);
        strike.fill(80, 120, 2);
        years.fill(0.1, 2, 3);
        sigma.fill(0.1, 0.5, 4);
    }
    double reference(bench::int64_t i) const {
        const double s = spot[i], k = strike[i], t = years[i], spread = sigma[i] * std::sqrt(t);
        const double d1 = (std::log(s / k) + (double(rate) + double(sigma[i]) * sigma[i] / 2) * t) / spread,
                     d2 = d1 - spread;
        const auto normal = [](double x) { return 0.5 * std::erfc(-x * std::numbers::sqrt2 / 2); };
        return s * normal(d1) - k * std::exp(-double(rate) * t) * normal(d2);
    }
};

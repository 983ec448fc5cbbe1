// bench/black_scholes/xtensor.cpp -- xtensor.

#include "support/xtensor.hpp"
#include "workload.hpp"

namespace {

struct arrays {
    bench::xtensor<float, 1> s, k, t, sigma, y;

    arrays(black_scholes& p, int)
        : s(bench::xtensor_of(p.spot)), k(bench::xtensor_of(p.strike)), t(bench::xtensor_of(p.years)),
          sigma(bench::xtensor_of(p.sigma)), y(bench::xtensor_of(p.y)) {}
    void run() {
        constexpr float r = black_scholes::rate, half_root = black_scholes::half_root;
        const auto spread = sigma * xt::sqrt(t);
        const auto d1 = (xt::log(s / k) + (r + 0.5f * sigma * sigma) * t) / spread;
        const auto d2 = d1 - spread;
        xt::noalias(y) =
            s * (0.5f + 0.5f * xt::erf(d1 * half_root)) - k * xt::exp(-r * t) * (0.5f + 0.5f * xt::erf(d2 * half_root));
    }
};

const bool added = bench::add<arrays, black_scholes>("xtensor");

} // namespace

// bench/black_scholes/sinter.cpp -- the formula as an expression; what it names twice is computed twice.

#include "support/sinter.hpp"
#include "workload.hpp"

namespace {

struct tensors {
    sinter::tensor<float, 1> s, k, t, sigma, y;

    tensors(black_scholes& p, int)
        : s(bench::tensor_of(p.spot)), k(bench::tensor_of(p.strike)), t(bench::tensor_of(p.years)),
          sigma(bench::tensor_of(p.sigma)), y(bench::tensor_of(p.y)) {}
    void run() {
        constexpr float r = black_scholes::rate;
        const auto spread = sigma * sinter::sqrt(t);
        const auto d1 = (sinter::log(s / k) + (r + 0.5f * sigma * sigma) * t) / spread;
        const auto normal = [](const auto& x) { return 0.5f + 0.5f * sinter::erf(x * black_scholes::half_root); };
        y = s * normal(d1) - k * sinter::exp(-r * t) * normal(d1 - spread);
    }
};

const bool added = bench::add<tensors, black_scholes>("sinter");

} // namespace

// bench/black_scholes/hand_libmvec.cpp -- the loop in the C++ library's functions: vectors of glibc's libmvec, by
// -ffast-math.

#include "support/hand.hpp"
#include "workload.hpp"

namespace {

struct loop {
    black_scholes& p;
    int threads;

    void run() const {
        const float *const spot = p.spot.data(), *const strike = p.strike.data(), *const years = p.years.data();
        const float* const sigma = p.sigma.data();
        float* const __restrict y = p.y.data();
        bench::for_chunks(p.y.size(), threads, bench::heavy, [=](auto first, auto last) {
            const auto normal = [](float x) { return 0.5f + 0.5f * std::erf(x * black_scholes::half_root); };
            for (auto i = first; i < last; ++i) {
                const float s = spot[i], k = strike[i], t = years[i], v = sigma[i], r = black_scholes::rate;
                const float spread = v * std::sqrt(t);
                const float d1 = (std::log(s / k) + (r + 0.5f * v * v) * t) / spread;
                y[i] = s * normal(d1) - k * std::exp(-r * t) * normal(d1 - spread);
            }
        });
    }
};

const bool added = bench::add<loop, black_scholes>("hand-libmvec");

} // namespace

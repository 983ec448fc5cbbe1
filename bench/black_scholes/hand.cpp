// bench/black_scholes/hand.cpp -- the loop with polynomials written for it: exact enough for prices, not for a library.

#include <bit>

#include "support/hand.hpp"
#include "workload.hpp"

namespace {

// exp and log: S. Moshier's Cephes, expf.c and logf.c, without special values.
inline float short_exp(float x) {
    const float n = std::rint(x * 1.44269504f), r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 0.5f;
    return (p * r * r + r + 1) * std::bit_cast<float>((static_cast<int>(n) + 127) << 23);
}
inline float short_log(float x) {
    const int bits = std::bit_cast<int>(x), e = (bits - 0x3f3504f3) >> 23; // x = 2^e m, m from √½ to √2
    const float m = std::bit_cast<float>(bits - (e << 23)) - 1, n = static_cast<float>(e), z = m * m;
    float p = 7.0376836292e-2f;
    p = p * m - 1.1514610310e-1f;
    p = p * m + 1.1676998740e-1f;
    p = p * m - 1.2420140846e-1f;
    p = p * m + 1.4249322787e-1f;
    p = p * m - 1.6668057665e-1f;
    p = p * m + 2.0000714765e-1f;
    p = p * m - 2.4999993993e-1f;
    p = p * m + 3.3333331174e-1f;
    return (p * m * z - n * 2.12194440e-4f) - 0.5f * z + m + n * 0.693359375f;
}
// The normal distribution: Abramowitz and Stegun 26.2.17, absolute error 7.5e-8.
inline float normal(float x) {
    const float a = std::fabs(x), t = 1 / (1 + 0.2316419f * a);
    const float p =
        ((((1.330274429f * t - 1.821255978f) * t + 1.781477937f) * t - 0.356563782f) * t + 0.319381530f) * t;
    const float tail = 0.39894228f * short_exp(-0.5f * a * a) * p;
    return x < 0 ? tail : 1 - tail;
}

struct loop {
    black_scholes& p;
    int threads;

    void run() const {
        const float *const spot = p.spot.data(), *const strike = p.strike.data(), *const years = p.years.data();
        const float* const sigma = p.sigma.data();
        float* const __restrict y = p.y.data();
        bench::for_chunks(p.y.size(), threads, bench::heavy, [=](auto first, auto last) {
            for (auto i = first; i < last; ++i) {
                const float s = spot[i], k = strike[i], t = years[i], v = sigma[i], r = black_scholes::rate;
                const float spread = v * std::sqrt(t);
                const float d1 = (short_log(s / k) + (r + 0.5f * v * v) * t) / spread;
                y[i] = s * normal(d1) - k * short_exp(-r * t) * normal(d1 - spread);
            }
        });
    }
};

const bool added = bench::add<loop, black_scholes>("hand");

} // namespace

// bench/black_scholes/eigen.cpp -- Eigen's arrays, on one thread, and its tensors.

#include "support/eigen.hpp"
#include "workload.hpp"

namespace {

constexpr float r = black_scholes::rate, half_root = black_scholes::half_root;

struct arrays {
    bench::eigen_array<float> s, k, t, sigma, y;

    arrays(black_scholes& p, int)
        : s(p.spot.data(), p.spot.size()), k(p.strike.data(), p.strike.size()), t(p.years.data(), p.years.size()),
          sigma(p.sigma.data(), p.sigma.size()), y(p.y.data(), p.y.size()) {}
    void run() {
        const auto spread = sigma * t.sqrt();
        const auto d1 = ((s / k).log() + (0.5f * sigma * sigma + r) * t) / spread;
        y = s * (Eigen::erf(d1 * half_root) * 0.5f + 0.5f) -
            k * (t * -r).exp() * (Eigen::erf((d1 - spread) * half_root) * 0.5f + 0.5f);
    }
};

struct tensors {
    bench::eigen_tensor<float, 1> s, k, t, sigma, y;
    const Eigen::ThreadPoolDevice& device;

    tensors(black_scholes& p, int threads)
        : s(p.spot.data(), p.spot.size()), k(p.strike.data(), p.strike.size()), t(p.years.data(), p.years.size()),
          sigma(p.sigma.data(), p.sigma.size()), y(p.y.data(), p.y.size()), device(bench::eigen_device(threads)) {}
    void run() {
        const auto spread = sigma * t.sqrt();
        const auto d1 = ((s / k).log() + (sigma * sigma * 0.5f + r) * t) / spread;
        y.device(device) = s * ((d1 * half_root).erf() * 0.5f + 0.5f) -
                           k * (t * -r).exp() * (((d1 - spread) * half_root).erf() * 0.5f + 0.5f);
    }
};

const bool added = bench::add<arrays, black_scholes>("eigen") && bench::add<tensors, black_scholes>("eigen-tensor");

} // namespace

// bench/black_scholes/armadillo.cpp -- Armadillo.

#include "support/armadillo.hpp"
#include "workload.hpp"

namespace {

struct arrays {
    arma::fvec s, k, t, sigma, y;

    arrays(black_scholes& p, int threads)
        : s(bench::armadillo_of(p.spot)), k(bench::armadillo_of(p.strike)), t(bench::armadillo_of(p.years)),
          sigma(bench::armadillo_of(p.sigma)), y(bench::armadillo_of(p.y)) {
        omp_set_num_threads(threads);
    }
    void run() {
        constexpr float r = black_scholes::rate, half_root = black_scholes::half_root;
        const arma::fvec spread = sigma % arma::sqrt(t);
        const arma::fvec d1 = (arma::log(s / k) + (0.5f * sigma % sigma + r) % t) / spread;
        y = s % (0.5f * arma::erf(d1 * half_root) + 0.5f) -
            k % arma::exp(-r * t) % (0.5f * arma::erf((d1 - spread) * half_root) + 0.5f);
    }
};

const bool added = bench::add<arrays, black_scholes>("armadillo");

} // namespace

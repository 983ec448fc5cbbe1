// bench/sum/hand.cpp -- the loop, with four vectors of accumulators.

#include "support/hand.hpp"
#include "workload.hpp"

namespace {

struct loop {
    sum& p;
    int threads;

    void run() const {
        const float *const x = p.x.data(), *const z = p.z.data();
        std::vector<float> parts;
        float one = 0, *to = &one;
        if (threads > 1) {
            parts.resize(static_cast<std::size_t>(threads) * 16); // a cache line for each
            to = parts.data();
        }
        const auto n = p.x.size(), chunk = n / threads;
        bench::for_chunks(n, threads, bench::light, [=](auto first, auto last) {
            to[chunk == 0 ? 0 : std::min<bench::int64_t>(first / chunk, 15) * (first > 0 ? 16 : 0)] = bench::sum_over<float>(
                last - first, [=](auto i) { return bench::load(x + first + i) * bench::load(z + first + i); },
                [=](auto i) { return x[first + i] * z[first + i]; });
        });
        for (std::size_t t = 0; t < parts.size(); t += 16) one += parts[t];
        p.y[0] = one;
    }
};

const bool added = bench::add<loop, sum>("hand");

} // namespace

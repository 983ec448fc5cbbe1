// bench/sum/hand.cpp -- the loop, with four vectors of accumulators.

#include "support/hand.hpp"
#include "workload.hpp"

namespace {

struct loop {
    sum& p;
    int threads;

    void run() const {
        p.y[0] = bench::sum_chunks<float>(p.x.size(), threads, bench::light, [this](auto first, auto last) {
            const float *const x = p.x.data() + first, *const z = p.z.data() + first;
            return bench::sum_over<float>(
                last - first, [=](auto i) { return bench::load(x + i) * bench::load(z + i); },
                [=](auto i) { return x[i] * z[i]; });
        });
    }
};

const bool added = bench::add<loop, sum>("hand");

} // namespace

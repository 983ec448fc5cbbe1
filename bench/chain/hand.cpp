// bench/chain/hand.cpp -- the fused loop, with plain and with non-temporal stores.

#include "support/hand.hpp"
#include "workload.hpp"

namespace {

struct plain {
    chain& p;
    int threads;

    void run() const {
        const float* const x = p.x.data();
        float* const __restrict y = p.y.data();
        bench::for_chunks(p.y.size(), threads, bench::light, [=](auto first, auto last) {
            for (auto i = first; i < last; ++i) y[i] = CHAIN_20(x[i]);
        });
    }
};

struct past_caches {
    chain& p;
    int threads;

    void run() const {
        const float* const x = p.x.data();
        float* const y = p.y.data();
        bench::for_chunks(p.y.size(), threads, bench::light, [=](auto first, auto last) {
            for (auto i = first; i < last; i += bench::lanes<float>) bench::stream(CHAIN_20(bench::load(x + i)), y + i);
            bench::fence();
        });
    }
};

const bool added = bench::add<plain, chain>("hand") && bench::add<past_caches, chain>("hand-nt");

} // namespace

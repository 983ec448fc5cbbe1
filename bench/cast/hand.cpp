// bench/cast/hand.cpp -- the loop, with plain and with non-temporal stores.

#include "support/hand.hpp"
#include "workload.hpp"

namespace {

struct plain {
    cast& p;
    int threads;

    void run() const {
        const std::uint8_t* const x = p.x.data();
        float* const __restrict y = p.y.data();
        bench::for_chunks(p.y.size(), threads, bench::light, [=](auto first, auto last) {
            for (auto i = first; i < last; ++i) y[i] = static_cast<float>(x[i]) / 255;
        });
    }
};

struct past_caches {
    cast& p;
    int threads;

    void run() const {
        typedef std::uint8_t bytes [[gnu::vector_size(bench::lanes<float>)]];
        typedef std::uint16_t shorts [[gnu::vector_size(bench::lanes<float> * 2)]];
        typedef int ints [[gnu::vector_size(bench::vector_bytes)]];
        const std::uint8_t* const x = p.x.data();
        float* const y = p.y.data();
        bench::for_chunks(p.y.size(), threads, bench::light, [=](auto first, auto last) {
            for (auto i = first; i < last; i += bench::lanes<float>) {
                bytes b; // widened step by step: g++ 12 takes one step from bytes to floats apart
                std::memcpy(&b, x + i, sizeof(b));
                const auto wide = __builtin_convertvector(__builtin_convertvector(b, shorts), ints);
                bench::stream(__builtin_convertvector(wide, bench::vector<float>) / 255, y + i);
            }
            bench::fence();
        });
    }
};

const bool added = bench::add<plain, cast>("hand") && bench::add<past_caches, cast>("hand-nt");

} // namespace

// bench/sum_rows/hand.cpp -- row after row, with four vectors of accumulators.

#include "support/hand.hpp"
#include "workload.hpp"

namespace {

struct loop {
    sum_rows& p;
    int threads;

    void run() const {
        bench::for_chunks(p.rows, threads, bench::rows, [this](auto first, auto last) {
            for (auto r = first; r < last; ++r) {
                const float* const x = p.x.data() + r * p.columns;
                p.y[r] = bench::sum_over<float>(
                    p.columns, [=](auto i) { return bench::load(x + i); }, [=](auto i) { return x[i]; });
            }
        });
    }
};

const bool added = bench::add<loop, sum_rows>("hand");

} // namespace

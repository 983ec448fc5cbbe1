// bench/mean_var/hand.cpp -- two loops over a row that stays in the first cache, with four vectors of accumulators.

#include "support/hand.hpp"
#include "workload.hpp"

namespace {

struct loop {
    mean_var& p;
    int threads;

    void run() const {
        bench::for_chunks(p.rows, threads, bench::rows, [this](auto first, auto last) {
            for (auto r = first; r < last; ++r) {
                const float *const x = p.x.data() + r * p.columns, n = static_cast<float>(p.columns);
                const float sum = bench::sum_over<float>(
                    p.columns, [=](auto i) { return bench::load(x + i); }, [=](auto i) { return x[i]; });
                const float mean = sum / n;
                const auto square = [](auto v) { return v * v; };
                const float squares = bench::sum_over<float>(
                    p.columns, [=](auto i) { return square(bench::load(x + i) - mean); },
                    [=](auto i) { return square(x[i] - mean); });
                p.y[r] = mean;
                p.y[p.rows + r] = squares / n;
            }
        });
    }
};

const bool added = bench::add<loop, mean_var>("hand");

} // namespace

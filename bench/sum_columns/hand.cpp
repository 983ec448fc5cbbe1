// bench/sum_columns/hand.cpp -- four rows at a time are added to one row of sums, for each thread its own.

#include "support/hand.hpp"
#include "workload.hpp"

namespace {

void add_rows(const float* x, bench::int64_t rows, bench::int64_t columns, float* __restrict y) {
    std::fill_n(y, columns, 0.f);
    bench::int64_t r = 0;
    for (; r + 4 <= rows; r += 4) {
        const float *const x0 = x + r * columns, *const x1 = x0 + columns, *const x2 = x1 + columns,
                           *const x3 = x2 + columns;
        for (bench::int64_t j = 0; j < columns; ++j) y[j] += (x0[j] + x1[j]) + (x2[j] + x3[j]);
    }
    for (; r < rows; ++r)
        for (bench::int64_t j = 0; j < columns; ++j) y[j] += x[r * columns + j];
}

struct loop {
    sum_columns& p;
    int threads;

    void run() const {
        if (threads == 1 || p.rows < bench::rows) {
            add_rows(p.x.data(), p.rows, p.columns, p.y.data());
            return;
        }
        std::vector<float> parts(static_cast<std::size_t>(threads * p.columns));
        tbb::parallel_for(
            0, threads,
            [&](int t) {
                const auto first = p.rows * t / threads, last = p.rows * (t + 1) / threads;
                add_rows(p.x.data() + first * p.columns, last - first, p.columns, parts.data() + t * p.columns);
            },
            tbb::static_partitioner{});
        add_rows(parts.data(), threads, p.columns, p.y.data());
    }
};

const bool added = bench::add<loop, sum_columns>("hand");

} // namespace

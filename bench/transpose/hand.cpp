// bench/transpose/hand.cpp -- squares of one vector by one vector, turned in registers; plain and non-temporal stores.

#include "support/hand.hpp"
#include "workload.hpp"

namespace {

using bench::int64_t;
constexpr int side = bench::lanes<float>;

/// One of the steps by which rows become columns: two rows that are Step apart exchange half of their lanes.
template <int Step>
[[gnu::always_inline]] inline void turn(bench::vector<float> (&rows)[side]) {
    constexpr auto low = [](int k) { return k & Step ? k - Step + side : k; };
    constexpr auto high = [](int k) { return k & Step ? k + side : k + Step; };
#pragma GCC unroll 16
    for (int i = 0; i < side; ++i) {
        if (i & Step) continue;
        const auto a = rows[i], b = rows[i + Step];
        rows[i] = bench::shuffle<float, low>(a, b);
        rows[i + Step] = bench::shuffle<float, high>(a, b);
    }
}

template <bool Stream>
[[gnu::always_inline]] inline void turn_square(const float* x, int64_t columns, float* y, int64_t rows) {
    bench::vector<float> v[side];
#pragma GCC unroll 16
    for (int i = 0; i < side; ++i) v[i] = bench::load(x + i * columns) + 1;
    turn<1>(v);
    turn<2>(v);
    if constexpr (side > 4) turn<4>(v);
    if constexpr (side > 8) turn<8>(v);
#pragma GCC unroll 16
    for (int i = 0; i < side; ++i) {
        if constexpr (Stream)
            bench::stream(v[i], y + i * rows);
        else
            bench::store(v[i], y + i * rows);
    }
}

void turn_rest(const float* x, int64_t columns, float* __restrict y, int64_t rows, int64_t from, int64_t to,
               int64_t row) {
    for (int64_t j = from; j < to; ++j)
        for (int64_t i = row; i < rows; ++i) y[j * rows + i] = x[i * columns + j] + 1;
}

template <bool Stream>
struct loop {
    transpose& p;
    int threads;

    void run() const {
        const float* const x = p.x.data();
        float* const y = p.y.data();
        const int64_t rows = p.rows, columns = p.columns, whole_rows = rows / side * side, bands = columns / side;
        const bool streams = Stream && rows % side == 0; // otherwise rows of y are not aligned to vectors
        bench::for_chunks(bands, p.x.size() < bench::light ? 1 : threads, 0, [=](int64_t first, int64_t last) {
            // Squares next to each other in y come one after the other: whole rows of y are written in order.
            for (int64_t j = first * side; j < last * side; j += side) {
                for (int64_t i = 0; i < whole_rows; i += side) {
                    if (streams)
                        turn_square<true>(x + i * columns + j, columns, y + j * rows + i, rows);
                    else
                        turn_square<false>(x + i * columns + j, columns, y + j * rows + i, rows);
                }
            }
            if (streams) bench::fence();
        });
        turn_rest(x, columns, y, rows, 0, bands * side, whole_rows);
        turn_rest(x, columns, y, rows, bands * side, columns, 0);
    }
};

const bool added = bench::add<loop<false>, transpose>("hand") && bench::add<loop<true>, transpose>("hand-nt");

} // namespace

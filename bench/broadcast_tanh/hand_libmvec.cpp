// bench/broadcast_tanh/hand_libmvec.cpp -- the loop in the C++ library's function: vectors of glibc's libmvec, by
// -ffast-math.

#include "support/hand.hpp"
#include "workload.hpp"

namespace {

struct loop {
    broadcast_tanh& p;
    int threads;

    void run() const {
        const float *const row = p.row.data(), *const column = p.column.data();
        float* const __restrict y = p.y.data();
        const auto columns = p.columns;
        bench::for_chunks(p.rows, p.y.size() < bench::heavy ? 1 : threads, 0, [=](auto first, auto last) {
            for (auto i = first; i < last; ++i)
                for (bench::int64_t j = 0; j < columns; ++j) y[i * columns + j] = std::tanh(row[j] + column[i]);
        });
    }
};

const bool added = bench::add<loop, broadcast_tanh>("hand-libmvec");

} // namespace

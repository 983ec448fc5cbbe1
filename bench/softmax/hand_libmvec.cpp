// bench/softmax/hand_libmvec.cpp -- three loops over a row that stays in the first cache; exp of glibc's libmvec, by
// -ffast-math.

#include "support/hand.hpp"
#include "workload.hpp"

namespace {

struct loop {
    softmax& p;
    int threads;

    void run() const {
        const auto columns = p.columns;
        bench::for_chunks(p.rows, p.y.size() < bench::heavy ? 1 : threads, 0, [=, this](auto first, auto last) {
            for (auto i = first; i < last; ++i) {
                const float* const x = p.x.data() + i * columns;
                float* const __restrict y = p.y.data() + i * columns;
                float top = x[0], sum = 0;
                for (bench::int64_t j = 1; j < columns; ++j) top = std::max(top, x[j]);
                for (bench::int64_t j = 0; j < columns; ++j) {
                    y[j] = std::exp(x[j] - top);
                    sum += y[j];
                }
                const float scale = 1 / sum;
                for (bench::int64_t j = 0; j < columns; ++j) y[j] *= scale;
            }
        });
    }
};

const bool added = bench::add<loop, softmax>("hand-libmvec");

} // namespace

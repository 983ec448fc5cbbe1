// bench/exp/hand_libmvec.cpp -- the loop in the C++ library's function: vectors of glibc's libmvec, by -ffast-math.

#include "support/hand.hpp"
#include "workload.hpp"

namespace {

struct loop {
    exp_problem& p;
    int threads;

    void run() const {
        const float* const x = p.x.data();
        float* const __restrict y = p.y.data();
        bench::for_chunks(p.y.size(), threads, bench::heavy, [=](auto first, auto last) {
            for (auto i = first; i < last; ++i) y[i] = std::exp(x[i]);
        });
    }
};

const bool added = bench::add<loop, exp_problem>("hand-libmvec");

} // namespace

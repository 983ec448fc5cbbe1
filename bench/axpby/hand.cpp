// bench/axpby/hand.cpp -- the loop, with plain and with non-temporal stores.

#include "support/hand.hpp"
#include "workload.hpp"

namespace {

template <class T>
struct plain {
    axpby<T>& p;
    int threads;

    void run() const {
        const T *const x = p.x.data(), *const z = p.z.data(), a = p.a, b = p.b, c = p.c;
        T* const __restrict y = p.y.data();
        bench::for_chunks(p.y.size(), threads, bench::light, [=](auto first, auto last) {
            for (auto i = first; i < last; ++i) y[i] = a * x[i] + b * z[i] + c;
        });
    }
};

template <class T>
struct past_caches {
    axpby<T>& p;
    int threads;

    void run() const {
        const T *const x = p.x.data(), *const z = p.z.data(), a = p.a, b = p.b, c = p.c;
        T* const y = p.y.data();
        bench::for_chunks(p.y.size(), threads, bench::light, [=](auto first, auto last) {
            for (auto i = first; i < last; i += bench::lanes<T>)
                bench::stream(a * bench::load(x + i) + b * bench::load(z + i) + c, y + i);
            bench::fence();
        });
    }
};

const bool added =
    bench::add<plain<float>, axpby<float>>("hand") && bench::add<past_caches<float>, axpby<float>>("hand-nt") &&
    bench::add<plain<double>, axpby<double>>("hand") && bench::add<past_caches<double>, axpby<double>>("hand-nt");

} // namespace

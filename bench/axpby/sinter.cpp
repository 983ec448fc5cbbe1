// bench/axpby/sinter.cpp -- into a tensor that is there, and into a new one each time.

#include "support/sinter.hpp"
#include "workload.hpp"

namespace {

template <class T>
struct existing {
    sinter::tensor<T, 1> x, z, y;
    T a, b, c;

    existing(axpby<T>& p, int)
        : x(bench::tensor_of(p.x)), z(bench::tensor_of(p.z)), y(bench::tensor_of(p.y)), a(p.a), b(p.b), c(p.c) {}
    void run() { y = a * x + b * z + c; }
};

template <class T>
struct fresh {
    axpby<T>& p;
    sinter::tensor<T, 1> x, z;

    fresh(axpby<T>& problem, int) : p(problem), x(bench::tensor_of(p.x)), z(bench::tensor_of(p.z)) {}
    void run() {
        const sinter::tensor<T, 1> y = p.a * x + p.b * z + p.c;
        benchmark::DoNotOptimize(y.data());
    }
    void deliver() { std::ranges::copy(sinter::eval(p.a * x + p.b * z + p.c).span(), p.y.data()); }
};

const bool added =
    bench::add<existing<float>, axpby<float>>("sinter") && bench::add<fresh<float>, axpby<float>>("sinter-new") &&
    bench::add<existing<double>, axpby<double>>("sinter") && bench::add<fresh<double>, axpby<double>>("sinter-new");

} // namespace

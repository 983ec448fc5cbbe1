// bench/axpby/workload.hpp -- y = a x + b z + c: light arithmetic, as fast as memory is.
#pragma once

#include "support/measure.hpp"

template <class T>
struct axpby {
    static constexpr const char* workload = "axpby";
    static constexpr auto& sizes = bench::sizes;
    static constexpr double tolerance = 1e-6;
    static constexpr bool costly_reference = false;

    bench::array<T> x, z, y;
    T a = T(1.5), b = T(-0.25), c = T(2);

    explicit axpby(bench::int64_t n) : x(n), z(n), y(n) {
        x.fill(-1, 1, 1);
        z.fill(-1, 1, 2);
    }
    double reference(bench::int64_t i) const { return double(a) * x[i] + double(b) * z[i] + c; }
};

// bench/sum/workload.hpp -- the sum of x z: one pass over two inputs.
#pragma once

#include "support/measure.hpp"

struct sum {
    static constexpr const char* workload = "sum";
    static constexpr auto& sizes = bench::sizes;
    static constexpr double tolerance =
        1e-2; // Armadillo's two accumulators lose 0.008 of 2·10⁷; all others are right to 10⁻⁵
    static constexpr bool costly_reference = true;

    bench::array<float> x, z, y;
    double total = 0;

    explicit sum(bench::int64_t n) : x(n), z(n), y(1) {
        x.fill(0.5, 1.5, 1);
        z.fill(0.5, 1.5, 2);
        for (bench::int64_t i = 0; i < n; ++i) total += double(x[i]) * z[i];
    }
    double reference(bench::int64_t) const { return total; }
};

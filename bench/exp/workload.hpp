// bench/exp/workload.hpp -- y = exp(x): one elementary function.
#pragma once

#include "support/measure.hpp"

struct exp_problem {
    static constexpr const char* workload = "exp";
    static constexpr auto& sizes = bench::sizes;
    static constexpr double tolerance = 1e-6;
    static constexpr bool costly_reference = true;

    bench::array<float> x, y;

    explicit exp_problem(bench::int64_t n) : x(n), y(n) { x.fill(-10, 10, 1); }
    double reference(bench::int64_t i) const { return std::exp(double(x[i])); }
};

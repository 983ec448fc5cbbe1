// bench/transpose/workload.hpp -- y = transpose(x) + 1: one side is read or written across cache lines.
#pragma once

#include "support/measure.hpp"

struct transpose : bench::matrix_extents {
    static constexpr const char* workload = "transpose";
    static constexpr auto& sizes = bench::sizes;
    static constexpr double tolerance = 1e-6;
    static constexpr bool costly_reference = false;

    bench::array<float> x, y; // rows × columns, columns × rows

    explicit transpose(bench::int64_t n) : matrix_extents(n), x(n), y(n) { x.fill(0, 1, 1); }
    double reference(bench::int64_t i) const { return double(x[i % rows * columns + i / rows]) + 1; }
};

// bench/sum_rows/workload.hpp -- the sum of each row of a matrix: reducing the last axis.
#pragma once

#include "support/measure.hpp"

struct sum_rows : bench::matrix_extents {
    static constexpr const char* workload = "sum_rows";
    static constexpr auto& sizes = bench::sizes;
    static constexpr double tolerance = 1e-4;
    static constexpr bool costly_reference = true;

    bench::array<float> x, y;

    explicit sum_rows(bench::int64_t n) : matrix_extents(n), x(n), y(rows) { x.fill(0, 1, 1); }
    double reference(bench::int64_t i) const {
        double sum = 0;
        for (bench::int64_t j = 0; j < columns; ++j) sum += x[i * columns + j];
        return sum;
    }
};

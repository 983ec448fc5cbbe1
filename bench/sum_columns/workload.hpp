// bench/sum_columns/workload.hpp -- the sum of each column of a matrix: reducing the first axis.
#pragma once

#include "support/measure.hpp"

struct sum_columns : bench::matrix_extents {
    static constexpr const char* workload = "sum_columns";
    static constexpr auto& sizes = bench::sizes;
    static constexpr double tolerance = 1e-4;
    static constexpr bool costly_reference = true;

    bench::array<float> x, y;

    explicit sum_columns(bench::int64_t n) : matrix_extents(n), x(n), y(columns) { x.fill(0, 1, 1); }
    double reference(bench::int64_t i) const {
        double sum = 0;
        for (bench::int64_t j = 0; j < rows; ++j) sum += x[j * columns + i];
        return sum;
    }
};

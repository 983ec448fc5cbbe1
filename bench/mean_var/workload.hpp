// bench/mean_var/workload.hpp -- mean and variance of each row: two results of one input.
#pragma once

#include "support/measure.hpp"

struct mean_var : bench::matrix_extents {
    static constexpr const char* workload = "mean_var";
    static constexpr auto& sizes = bench::sizes;
    static constexpr double tolerance = 1e-4;
    static constexpr bool costly_reference = true;

    bench::array<float> x, y; // the means, then the variances

    explicit mean_var(bench::int64_t n) : matrix_extents(n), x(n), y(2 * rows) { x.fill(1, 3, 1); }

    double mean(bench::int64_t row) const {
        double sum = 0;
        for (bench::int64_t j = 0; j < columns; ++j) sum += x[row * columns + j];
        return sum / double(columns);
    }
    double reference(bench::int64_t i) const {
        if (i < rows) return mean(i);
        const double m = mean(i - rows);
        double sum = 0;
        for (bench::int64_t j = 0; j < columns; ++j)
            sum += (x[(i - rows) * columns + j] - m) * (x[(i - rows) * columns + j] - m);
        return sum / double(columns);
    }
};

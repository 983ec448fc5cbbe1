// bench/broadcast_tanh/workload.hpp -- y = tanh(row + column): a matrix from two vectors.
#pragma once

#include "support/measure.hpp"

struct broadcast_tanh : bench::matrix_extents {
    static constexpr const char* workload = "broadcast_tanh";
    static constexpr auto& sizes = bench::sizes;
    static constexpr double tolerance = 1e-6;
    static constexpr bool costly_reference = true;

    bench::array<float> row, column, y;

    explicit broadcast_tanh(bench::int64_t n) : matrix_extents(n), row(columns), column(rows), y(n) {
        row.fill(-2, 2, 1);
        column.fill(-2, 2, 2);
    }
    double reference(bench::int64_t i) const { return std::tanh(double(row[i % columns]) + column[i / columns]); }
};

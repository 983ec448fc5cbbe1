// bench/softmax/workload.hpp -- exp(x - max) / sum of each row: two reductions between elementwise parts.
#pragma once

#include "support/measure.hpp"

struct softmax : bench::matrix_extents {
    static constexpr const char* workload = "softmax";
    static constexpr auto& sizes = bench::sizes;
    static constexpr double tolerance = 1e-6;
    static constexpr bool costly_reference = true;

    bench::array<float> x, y;
    std::vector<double> sums;

    explicit softmax(bench::int64_t n) : matrix_extents(n), x(n), y(n) {
        x.fill(-5, 5, 1);
        for (bench::int64_t i = 0; i < rows; ++i) {
            double sum = 0;
            for (bench::int64_t j = 0; j < columns; ++j) sum += std::exp(double(x[i * columns + j]));
            sums.push_back(sum);
        }
    }
    double reference(bench::int64_t i) const {
        return std::exp(double(x[i])) / sums[static_cast<std::size_t>(i / columns)];
    }
};

// bench/matmul/workload.hpp -- products of square matrices. n counts the elements of the result.
#pragma once

#include "support/measure.hpp"

struct matmul {
    static constexpr const char* workload = "matmul";
    static constexpr bench::int64_t sizes[] = {256 * 256, 1024 * 1024};
    static constexpr double tolerance = 1e-4;
    static constexpr bool costly_reference = true;

    bench::int64_t side;
    bench::array<float> x, z, y;

    explicit matmul(bench::int64_t n) : side(n == 256 * 256 ? 256 : 1024), x(n), z(n), y(n) {
        x.fill(0, 1, 1);
        z.fill(0, 1, 2);
    }
    double reference(bench::int64_t i) const {
        double sum = 0;
        for (bench::int64_t k = 0; k < side; ++k) sum += double(x[i / side * side + k]) * z[k * side + i % side];
        return sum;
    }
};

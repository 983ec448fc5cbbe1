// bench/cast/workload.hpp -- bytes of a photo as floats from 0 to 1.
#pragma once

#include "support/measure.hpp"

struct cast {
    static constexpr const char* workload = "cast";
    static constexpr auto& sizes = bench::sizes;
    static constexpr double tolerance = 1e-7;
    static constexpr bool costly_reference = false;

    bench::array<std::uint8_t> x;
    bench::array<float> y;

    explicit cast(bench::int64_t n) : x(n), y(n) { x.fill(0, 256, 1); }
    double reference(bench::int64_t i) const { return x[i] / 255.0; }
};

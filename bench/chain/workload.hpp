// bench/chain/workload.hpp -- 20 multiply-adds on one input: what fusing saves.
#pragma once

#include "support/measure.hpp"

// One text for all: a function would have to name the type of each step.
#define STEP(e) ((e)*1.0001f + 0.5f)
#define CHAIN_5(e) STEP(STEP(STEP(STEP(STEP(e)))))
#define CHAIN_20(e) CHAIN_5(CHAIN_5(CHAIN_5(CHAIN_5(e))))

struct chain {
    static constexpr const char* workload = "chain";
    static constexpr auto& sizes = bench::sizes;
    static constexpr double tolerance = 1e-5;
    static constexpr bool costly_reference = false;

    bench::array<float> x, y;

    explicit chain(bench::int64_t n) : x(n), y(n) { x.fill(-1, 1, 1); }
    double reference(bench::int64_t i) const { return CHAIN_20(double(x[i])); }
};

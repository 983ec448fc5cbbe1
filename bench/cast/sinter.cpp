// bench/cast/sinter.cpp -- two types in one expression.

#include "support/sinter.hpp"
#include "workload.hpp"

namespace {

struct tensors {
    sinter::tensor<std::uint8_t, 1> x;
    sinter::tensor<float, 1> y;

    tensors(cast& p, int) : x(bench::tensor_of(p.x)), y(bench::tensor_of(p.y)) {}
    void run() { y = sinter::cast<float>(x) / 255; }
};

const bool added = bench::add<tensors, cast>("sinter");

} // namespace

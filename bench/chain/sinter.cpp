// bench/chain/sinter.cpp -- one expression of 40 operations.

#include "support/sinter.hpp"
#include "workload.hpp"

namespace {

struct tensors {
    sinter::tensor<float, 1> x, y;

    tensors(chain& p, int) : x(bench::tensor_of(p.x)), y(bench::tensor_of(p.y)) {}
    void run() { y = CHAIN_20(x); }
};

const bool added = bench::add<tensors, chain>("sinter");

} // namespace

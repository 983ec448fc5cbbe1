// bench/exp/sinter.cpp -- into a tensor that is there.

#include "support/sinter.hpp"
#include "workload.hpp"

namespace {

struct tensors {
    sinter::tensor<float, 1> x, y;

    tensors(exp_problem& p, int) : x(bench::tensor_of(p.x)), y(bench::tensor_of(p.y)) {}
    void run() { y = sinter::exp(x); }
};

const bool added = bench::add<tensors, exp_problem>("sinter");

} // namespace

// bench/sum/sinter.cpp -- into a tensor of rank 0.

#include "support/sinter.hpp"
#include "workload.hpp"

namespace {

struct tensors {
    sum& p;
    sinter::tensor<float, 1> x, z;
    sinter::tensor<float, 0> y;

    tensors(sum& problem, int) : p(problem), x(bench::tensor_of(p.x)), z(bench::tensor_of(p.z)) {}
    void run() { y = sinter::sum(x * z); }
    void deliver() { p.y[0] = y(); }
};

const bool added = bench::add<tensors, sum>("sinter");

} // namespace

// bench/sum_rows/sinter.cpp -- into a tensor that is there.

#include "support/sinter.hpp"
#include "workload.hpp"

namespace {

struct tensors {
    sinter::tensor<float, 2> x;
    sinter::tensor<float, 1> y;
    sum_rows& p;

    tensors(sum_rows& problem, int)
        : x(bench::tensor_of(problem.x, problem.rows, problem.columns)), y(bench::tensor_of(problem.y)), p(problem) {}
    void run() { y = sinter::sum(x, sinter::axis<1>); }
    void deliver() { std::ranges::copy(y.span(), p.y.data()); }
};

const bool added = bench::add<tensors, sum_rows>("sinter");

} // namespace

// bench/transpose/sinter.cpp -- a view in an expression.

#include "support/sinter.hpp"
#include "workload.hpp"

namespace {

struct tensors {
    sinter::tensor<float, 2> x, y;

    tensors(transpose& p, int)
        : x(bench::tensor_of(p.x, p.rows, p.columns)), y(bench::tensor_of(p.y, p.columns, p.rows)) {}
    void run() { y = sinter::transpose(x) + 1; }
};

const bool added = bench::add<tensors, transpose>("sinter");

} // namespace

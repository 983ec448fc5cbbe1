// bench/matmul/sinter.cpp -- into a tensor that is there.

#include "support/sinter.hpp"
#include "workload.hpp"

namespace {

struct tensors {
    matmul& p;
    sinter::tensor<float, 2> x, z, y;

    tensors(matmul& problem, int)
        : p(problem), x(bench::tensor_of(p.x, p.side, p.side)), z(bench::tensor_of(p.z, p.side, p.side)),
          y(bench::tensor_of(p.y, p.side, p.side)) {}
    void run() { y = sinter::matmul(x, z); }
    void deliver() { std::ranges::copy(std::as_const(y).span(), p.y.data()); }
};

const bool added = bench::add<tensors, matmul>("sinter");

} // namespace

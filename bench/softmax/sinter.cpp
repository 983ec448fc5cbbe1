// bench/softmax/sinter.cpp -- written in plain operations.

#include "support/sinter.hpp"
#include "workload.hpp"

namespace {

using bench::axis, bench::keepdims;

struct tensors {
    sinter::tensor<float, 2> x, y;

    tensors(softmax& p, int)
        : x(bench::tensor_of(p.x, p.rows, p.columns)), y(bench::tensor_of(p.y, p.rows, p.columns)) {}
    void run() {
        const auto e = sinter::exp(x - sinter::max(x, axis<1>, keepdims));
        y = e / sinter::sum(e, axis<1>, keepdims);
    }
};

const bool added = bench::add<tensors, softmax>("sinter");

} // namespace

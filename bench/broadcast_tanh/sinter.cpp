// bench/broadcast_tanh/sinter.cpp -- broadcasting as in NumPy.

#include "support/sinter.hpp"
#include "workload.hpp"

namespace {

struct tensors {
    sinter::tensor<float, 1> row, column;
    sinter::tensor<float, 2> y;

    tensors(broadcast_tanh& p, int)
        : row(bench::tensor_of(p.row)), column(bench::tensor_of(p.column)),
          y(bench::tensor_of(p.y, p.rows, p.columns)) {}
    void run() { y = sinter::tanh(row + column(sinter::all, sinter::newaxis)); }
};

const bool added = bench::add<tensors, broadcast_tanh>("sinter");

} // namespace

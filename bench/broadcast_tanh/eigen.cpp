// bench/broadcast_tanh/eigen.cpp -- Eigen's arrays, on one thread, and its tensors.

#include "support/eigen.hpp"
#include "workload.hpp"

namespace {

struct arrays {
    bench::eigen_array<float> row, column;
    bench::eigen_matrix<float> y;

    arrays(broadcast_tanh& p, int)
        : row(p.row.data(), p.columns), column(p.column.data(), p.rows), y(p.y.data(), p.rows, p.columns) {}
    void run() { y = (row.transpose().replicate(y.rows(), 1) + column.replicate(1, y.cols())).tanh(); }
};

struct tensors {
    bench::eigen_tensor<float, 2> row, column, y;
    const Eigen::ThreadPoolDevice& device;

    tensors(broadcast_tanh& p, int threads)
        : row(p.row.data(), 1, p.columns), column(p.column.data(), p.rows, 1), y(p.y.data(), p.rows, p.columns),
          device(bench::eigen_device(threads)) {}
    void run() {
        const Eigen::array<Eigen::Index, 2> down{y.dimension(0), 1}, across{1, y.dimension(1)};
        y.device(device) = (row.broadcast(down) + column.broadcast(across)).tanh();
    }
};

const bool added = bench::add<arrays, broadcast_tanh>("eigen") && bench::add<tensors, broadcast_tanh>("eigen-tensor");

} // namespace

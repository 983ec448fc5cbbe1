// bench/matmul/eigen.cpp -- Eigen's own product, on threads of OpenMP.

#include <Eigen/Core>

#include "support/measure.hpp"
#include "workload.hpp"

namespace {

struct matrices {
    Eigen::Map<Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>, Eigen::Aligned64> x, z, y;

    matrices(matmul& p, int threads)
        : x(p.x.data(), p.side, p.side), z(p.z.data(), p.side, p.side), y(p.y.data(), p.side, p.side) {
        Eigen::setNbThreads(threads);
    }
    void run() { y.noalias() = x * z; }
};

const bool added = bench::add<matrices, matmul>("eigen");

} // namespace

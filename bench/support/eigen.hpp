// bench/support/eigen.hpp -- the memory of a problem as Eigen's arrays and tensors, and threads for the tensors.
#pragma once

#define EIGEN_USE_THREADS
#include <Eigen/Core>
#include <unsupported/Eigen/CXX11/Tensor>
#include <unsupported/Eigen/SpecialFunctions>

#include "support/measure.hpp"

namespace bench {

template <class T>
using eigen_array = Eigen::Map<Eigen::Array<T, Eigen::Dynamic, 1>, Eigen::Aligned64>;
template <class T>
using eigen_matrix = Eigen::Map<Eigen::Array<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>, Eigen::Aligned64>;
template <class T, int N>
using eigen_tensor = Eigen::TensorMap<Eigen::Tensor<T, N, Eigen::RowMajor, Eigen::Index>, Eigen::Aligned64>;

/// Runs tensor expressions on that many threads.
inline const Eigen::ThreadPoolDevice& eigen_device(int threads) {
    struct pool {
        Eigen::ThreadPool threads;
        Eigen::ThreadPoolDevice device;
        explicit pool(int n) : threads(n), device(&threads, n) {}
    };
    static std::map<int, pool> made;
    return made.try_emplace(threads, threads).first->second.device;
}

} // namespace bench

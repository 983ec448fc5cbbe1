// bench/support/xtensor.hpp -- the memory of a problem as xtensor's containers; xsimd and TBB are on.
#pragma once

#include <xtensor/xadapt.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

#include "support/measure.hpp"

namespace bench {

template <class T>
auto xtensor_of(const array<T>& a) {
    return xt::adapt(a.data(), static_cast<std::size_t>(a.size()), xt::no_ownership(), std::array{static_cast<std::size_t>(a.size())});
}
template <class T>
auto xtensor_of(const array<T>& a, int64_t rows, int64_t columns) {
    return xt::adapt(a.data(), static_cast<std::size_t>(a.size()), xt::no_ownership(),
                     std::array{static_cast<std::size_t>(rows), static_cast<std::size_t>(columns)});
}

} // namespace bench

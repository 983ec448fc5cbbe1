// bench/support/xtensor.hpp -- the memory of a problem as xtensor's containers; xsimd and TBB are on.
#pragma once

#include <xtensor/xadapt.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

#include "support/measure.hpp"

namespace bench {

template <class T, std::size_t N>
using xtensor = decltype(xt::adapt(std::declval<T*>(), std::size_t{}, xt::no_ownership(),
                                   std::declval<std::array<std::size_t, N>>()));

template <class T>
xtensor<T, 1> xtensor_of(const array<T>& a) {
    const auto n = static_cast<std::size_t>(a.size());
    return xt::adapt(a.data(), n, xt::no_ownership(), std::array{n});
}
template <class T>
xtensor<T, 2> xtensor_of(const array<T>& a, int64_t rows, int64_t columns) {
    return xt::adapt(a.data(), static_cast<std::size_t>(a.size()), xt::no_ownership(),
                     std::array{static_cast<std::size_t>(rows), static_cast<std::size_t>(columns)});
}

} // namespace bench

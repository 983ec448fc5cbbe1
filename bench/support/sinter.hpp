// bench/support/sinter.hpp -- the memory of a problem as sinter's tensors. Compiled at -O2, without -march, as users
// do.
#pragma once

#include <sinter/sinter.hpp>

#include "support/measure.hpp"

namespace bench {

namespace sn = sinter;
using sn::axis, sn::keepdims;

template <class T>
sn::tensor<T, 1> tensor_of(const array<T>& a) {
    return sn::wrap(a.data(), sn::shape<1>{a.size()}, [](T*) {});
}
template <class T>
sn::tensor<T, 2> tensor_of(const array<T>& a, int64_t rows, int64_t columns) {
    return sn::wrap(a.data(), sn::shape<2>{rows, columns}, [](T*) {});
}

} // namespace bench

// jit/contract.hpp -- stage 6: matrix products on GPUs.
#pragma once

#include <sinter/fuse/barriers.hpp>

namespace sinter::detail::jit {

/// detail::multiply on the GPU of c. Throws device_error without cuBLAS.
void multiply_on_device(dtype type, extents shape, std::int64_t inner, const matrices& a, const matrices& b, block& c);

} // namespace sinter::detail::jit

// jit/loop.hpp -- stage 4: elementwise kernels as CUDA C++.
#pragma once

#include "text.hpp"

namespace sinter::detail::jit {

/// Threads of a block of an elementwise kernel; of a tiled one, (tile_side, tile_rows).
inline constexpr int loop_threads = 256, tile_side = 32, tile_rows = 8;

/// The name and the source of a kernel. Its counts: `n`, groups of `vector` elements, and `tail`, elements behind the last
/// group, which only one axis can have. Extents are those of the axes, the innermost counted in groups.
std::pair<std::string, std::string> loop_source_text(const emitted_body& body, dtype result, const kernel_form& form);

} // namespace sinter::detail::jit

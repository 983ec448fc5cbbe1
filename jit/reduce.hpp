// jit/reduce.hpp -- stage 4: reductions as CUDA C++.
#pragma once

#include "text.hpp"

namespace sinter::detail::jit {

/// Threads of a block: of a kernel by rows (one output: all, or a warp); of one by columns (side by side, on one output).
inline constexpr int reduce_threads = 256, column_side = 32;

/// Elements of one output that a block reduces: results depend on these alone, and on the shape.
inline constexpr std::int64_t row_chunk = 16384, column_chunk = 1024;

/// The name and the source of a kernel. Its counts: `outputs`, `length` reduced elements of each, and `chunks` of them.
/// A partial kernel stores accumulators by output and chunk (by rows), or by chunk and output (by columns).
/// One of partial accumulators reads their positions, where the reduction finds one, at the offsets of the values.
std::pair<std::string, std::string> reduce_source_text(const emitted_body& body, const reduction_source& reduction, const kernel_form& form);

} // namespace sinter::detail::jit

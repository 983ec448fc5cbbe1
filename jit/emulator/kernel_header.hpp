// jit/emulator/kernel_header.hpp -- the texts around a kernel's source: before it, and after it.
#pragma once

namespace sinter::detail::jit::emulator {

/// CUDA's words, indices, collectives and bit casts; opens the unnamed namespace that holds the kernel too.
extern const char* const kernel_header_language;
/// The mathematical functions.
extern const char* const kernel_header_mathematics;
/// How the driver calls a kernel; the table of kernels follows.
extern const char* const kernel_header_tail;

} // namespace sinter::detail::jit::emulator

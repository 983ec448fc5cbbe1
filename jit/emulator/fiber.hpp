// jit/emulator/fiber.hpp -- the threads of a block that wait for one another, each on a stack of its own.
#pragma once

#include "image.hpp"

namespace sinter::detail::jit::emulator {

/// Runs the block that the kernel's state describes. Barriers and shuffles wait for those that must arrive; where these
/// never do, the work ends with an error. is_reversed: which threads come first between barriers.
void run_fibers(const kernel_entry& kernel, kernel_state& state, void** parameters, unsigned threads, bool is_reversed);

/// For a jump out of a kernel: before it, from the kernel's stack; and after it.
void leave_fibers();
void arrive_from_fibers();

/// What a kernel's state calls.
void wait_block();
unsigned long long wait_lanes(unsigned kind, unsigned mask, unsigned long long bits, unsigned source);

} // namespace sinter::detail::jit::emulator

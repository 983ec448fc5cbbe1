// jit/emulator/fault.hpp -- work that may touch forbidden memory: a signal ends the work, not the process.
#pragma once

#include <string>

#include "arena.hpp"

namespace sinter::detail::jit::emulator {

/// How a piece of work ended: status 0 is well.
struct outcome {
    int status = 0;
    cu_address address = 0;
    std::string text;
};

/// Signals are also looked at outside of work: for host code that reads device memory.
void install_handlers();
/// Addresses that host code must not touch.
void watch(const arena& a);

/// Runs work(data) on this thread; name is for a sanitizer's report. One piece of work runs at a time. Work must hold nothing that needs a destructor where it
/// touches device memory, as a fault leaves it by a jump.
outcome guarded(const char* name, void (*work)(void*), void* data);

/// Ends the running work. The text is copied.
[[noreturn]] void end_work(int status, const char* text);

} // namespace sinter::detail::jit::emulator

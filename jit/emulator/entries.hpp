// jit/emulator/entries.hpp -- the entry points that the three libraries export, declared from jit/driver.def.
#pragma once

#include "../driver.hpp"

#define SINTER_EMULATOR_EXPORT __attribute__((visibility("default")))

namespace sinter::detail::jit {

// A definition with other parameters than the table's does not compile.
extern "C" {
#define SINTER_ENTRY(library, name, parameters) SINTER_EMULATOR_EXPORT int name parameters;
#include "../driver.def"
}

} // namespace sinter::detail::jit

extern "C" {

/// Makes a call fail, once: what is "alloc", "launch", "compile" or "module", and the countdown-th of them from now fails.
/// "pinned" is for pinned memory. "alloc_always": that allocation and all after it; "lost": that call of the driver and all
/// after it. A countdown below 0 takes the order back.
SINTER_EMULATOR_EXPORT void sinter_emulator_inject(const char* what, long long countdown);

/// How many there are now: "allocations", "bytes", "streams", "events", "modules", "pinned", "contexts";
/// or were so far: "launches", "compiles".
SINTER_EMULATOR_EXPORT long long sinter_emulator_live(const char* what);

/// For the emulated NVRTC: counts a compilation; whether it is to fail.
SINTER_EMULATOR_EXPORT bool sinter_emulator_fails_compile();

/// For the emulated cuBLAS: work for a stream, done when the stream gets there; discard(data) follows, done or not.
/// addresses are those that it uses, for the check for writes beside them.
SINTER_EMULATOR_EXPORT int sinter_emulator_enqueue(sinter::detail::jit::cu_stream stream, const char* what, void (*work)(void*),
                                                   void (*discard)(void*), void* data,
                                                   const sinter::detail::jit::cu_address* addresses, int address_count);
}

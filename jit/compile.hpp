// jit/compile.hpp -- stage 5: CUDA source to machine code: NVRTC, and what its report says.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace sinter::detail::jit {

struct compile_options {
    int architecture = 0;   // of the device: 90 for compute capability 9.0
    bool fast_math = false;
    bool line_info = false; // for profilers and debuggers

    friend bool operator==(const compile_options&, const compile_options&) = default;
};

/// What a thread of a kernel takes, as the compiler reports it; -1 where it does not say (the emulator's does not).
struct kernel_resources {
    int registers = -1;
    int shared_bytes = -1; // of a block, static
    int local_bytes = -1;  // of the stack
    int spill_bytes = -1;  // stores
};

struct machine_code {
    std::string image; // CUBIN
    std::string log;   // of the compiler, without its report of resources: empty unless it warns
    kernel_resources resources;
};

/// The machine code of a source with one kernel of that name: from the disk cache, or compiled and put there. Threads that ask
/// for one source at the same time compile it once; different ones compile side by side. A failure is not remembered.
/// Throws compile_error with the source, its lines numbered, and the compiler's log; device_error without NVRTC.
std::shared_ptr<const machine_code> machine_code_of(const std::string& source, const std::string& kernel, const compile_options& options);

/// The same, always compiled and never stored.
machine_code compile(const std::string& source, const std::string& kernel, const compile_options& options);

/// PTX instead of machine code, for people to read.
std::string compile_to_ptx(const std::string& source, const std::string& kernel, const compile_options& options);

/// Architectures that the NVRTC found can compile for, ascending.
std::vector<int> supported_architectures();

} // namespace sinter::detail::jit

// jit/driver.hpp -- stage 6: the CUDA driver, NVRTC and cuBLAS as one table of functions, opened at run time.
//
// The libraries' own headers are not needed: their types are declared here as far as sinter uses them. A program built with
// sinter starts without any of the three; what needs one that is missing throws device_error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace sinter::detail::jit {

using cu_device = int;
using cu_address = unsigned long long;
using cu_context = struct CUctx_st*;
using cu_stream = struct CUstream_st*;
using cu_event = struct CUevent_st*;
using cu_module = struct CUmod_st*;
using cu_function = struct CUfunc_st*;
using cu_pool = struct CUmemPoolHandle_st*;
using nvrtc_program = struct _nvrtcProgram*;
using cublas_handle = struct cublasContext*;

// Values of the toolkit's enumerations that sinter uses; tests/jit/driver.cpp compares them with the headers.
enum cu_status { cu_invalid_value = 1, cu_out_of_memory = 2, cu_deinitialized = 4, cu_no_device = 100, cu_launch_failed = 719 };
enum cu_device_attribute {
    cu_multiprocessors = 16,
    cu_threads_per_multiprocessor = 39,
    cu_capability_major = 75,
    cu_capability_minor = 76,
    cu_memory_pools = 115,
};
enum cu_function_attribute { cu_shared_bytes = 1, cu_local_bytes = 3, cu_registers = 4 };
enum cu_pool_attribute { cu_release_threshold = 4 };
enum cu_flags { cu_stream_non_blocking = 1, cu_event_no_timing = 2 };
enum nvrtc_status { nvrtc_compilation_failed = 6 };
enum cublas_value {
    cublas_real_float = 0,
    cublas_real_double = 1,
    cublas_not_transposed = 0,
    cublas_transposed = 1,
    cublas_in_float = 68,
    cublas_in_double = 70,
    cublas_in_tf32 = 77,
    cublas_default_algorithm = -1,
};

/// Every entry point; null where the library was not found.
struct driver_table {
#define SINTER_ENTRY(library, name, parameters) int(*name) parameters = nullptr;
#include "driver.def"
    // What was opened, or why not.
    struct opened {
        std::string path;    // empty: not found
        std::string problem; // why not, and how to get it
    } driver_library, nvrtc_library, cublas_library;
    bool emulated = false; // sinter's own, which run on the host
};

/// Opened at the first call. SINTER_CUDA_DRIVER, SINTER_NVRTC and SINTER_CUBLAS name other files; SINTER_CUDA_EMULATOR=1
/// takes sinter's own emulation of the three.
const driver_table& drivers();

/// Throw device_error with the library's `problem` when it is missing.
void require_driver();
void require_nvrtc();
void require_cublas();

/// Throws device_error naming the call and what the driver says, unless the status is success; out_of_memory where it is that.
void check(int status, const char* call);

} // namespace sinter::detail::jit

/// Calls an entry point of the table and turns a status other than success into an exception.
#define SINTER_CUDA(name, ...) ::sinter::detail::jit::check(::sinter::detail::jit::drivers().name(__VA_ARGS__), #name)

// tests/jit/driver.cpp -- the table of the three libraries: statuses as exceptions, what is missing, and the toolkit's headers.

#include <doctest/doctest.h>

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <functional>
#include <type_traits>

#include <sinter/core/error.hpp>

#include "../../jit/driver.hpp"
#include "own_process.hpp"

// After driver.hpp, which declares the types on its own.
#if __has_include(<cuda.h>)
    #include <cuda.h>
    #define SINTER_HAS_CUDA_HEADER 1
#endif
#if __has_include(<nvrtc.h>)
    #include <nvrtc.h>
    #define SINTER_HAS_NVRTC_HEADER 1
#endif
#if __has_include(<cublas_v2.h>) && __has_include(<cuda_runtime_api.h>)
    #include <cublas_v2.h>
    #define SINTER_HAS_CUBLAS_HEADER 1
#endif

namespace {

using namespace sinter::detail::jit;
namespace fs = std::filesystem;

// Before the libraries are opened. Tests of what is missing run in a process of their own, which has it set.
[[maybe_unused]] const bool is_emulated = setenv("SINTER_CUDA_EMULATOR", "1", 0) == 0;

bool has(const std::string& text, const std::string& part) {
    if (text.find(part) != std::string::npos) return true;
    MESSAGE(text);
    return false;
}

/// The message of the exception of exactly this type that a call throws.
template <class Exception>
std::string message_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const sinter::error& e) {
        return typeid(e) == typeid(Exception) ? e.what() : std::string("another exception: ") + e.what();
    }
    return "nothing was thrown";
}

/// A library was opened, or there is a problem.
void check_found(const driver_table::opened& library) {
    CAPTURE(library.path);
    CAPTURE(library.problem);
    CHECK(library.path.empty() != library.problem.empty());
}

// ---- the toolkit's headers: its types are those of the table, but for the names of enumerations and of handles

template <class Own, class Theirs>
constexpr bool is_like() {
    if constexpr (std::is_same_v<Own, Theirs>)
        return true;
    else if constexpr (std::is_pointer_v<Own> && std::is_pointer_v<Theirs>) {
        using own = std::remove_pointer_t<Own>;
        using theirs = std::remove_pointer_t<Theirs>;
        return std::is_const_v<own> == std::is_const_v<theirs> && is_like<std::remove_cv_t<own>, std::remove_cv_t<theirs>>();
    } else if constexpr (std::is_enum_v<Theirs>)
        return std::is_same_v<Own, int> && sizeof(Theirs) == sizeof(int);
    else
        return std::is_class_v<Own> && std::is_class_v<Theirs>; // what handles point to
}

template <class... Own, class Status, class... Theirs>
[[maybe_unused]] constexpr bool has_like_types(int (*)(Own...), Status (*)(Theirs...)) {
    if constexpr (sizeof...(Own) != sizeof...(Theirs))
        return false;
    else
        return sizeof(Status) == sizeof(int) && (is_like<Own, Theirs>() && ...);
}

template <class Own, class Theirs>
[[maybe_unused]] constexpr bool agrees(Own own, Theirs theirs) {
    return has_like_types(own, theirs);
}

#if defined(SINTER_HAS_CUBLAS_HEADER)
/// The header overloads it; this one is the library's.
using batched_gemm = cublasStatus_t(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const void*, const void*, cudaDataType,
                                    int, long long, const void*, cudaDataType, int, long long, const void*, void*, cudaDataType, int,
                                    long long, int, cublasComputeType_t, cublasGemmAlgo_t);
template <class Own>
constexpr bool agrees(Own own, batched_gemm* theirs) {
    return has_like_types(own, theirs);
}
#endif

#if defined(SINTER_HAS_CUDA_HEADER)
    #define SINTER_AGREES_driver(name) static_assert(agrees(decltype(driver_table::name){}, &::name), #name);
#else
    #define SINTER_AGREES_driver(name)
#endif
#if defined(SINTER_HAS_NVRTC_HEADER)
    #define SINTER_AGREES_nvrtc(name) static_assert(agrees(decltype(driver_table::name){}, &::name), #name);
#else
    #define SINTER_AGREES_nvrtc(name)
#endif
#if defined(SINTER_HAS_CUBLAS_HEADER)
    #define SINTER_AGREES_cublas(name) static_assert(agrees(decltype(driver_table::name){}, &::name), #name);
#else
    #define SINTER_AGREES_cublas(name)
#endif
#define SINTER_ENTRY(library, name, parameters) SINTER_AGREES_##library(name)
#include "../../jit/driver.def"

#if defined(SINTER_HAS_CUDA_HEADER)
static_assert(int{cu_invalid_value} == CUDA_ERROR_INVALID_VALUE);
static_assert(int{cu_out_of_memory} == CUDA_ERROR_OUT_OF_MEMORY);
static_assert(int{cu_deinitialized} == CUDA_ERROR_DEINITIALIZED);
static_assert(int{cu_no_device} == CUDA_ERROR_NO_DEVICE);
static_assert(int{cu_launch_failed} == CUDA_ERROR_LAUNCH_FAILED);
static_assert(int{cu_multiprocessors} == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
static_assert(int{cu_threads_per_multiprocessor} == CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
static_assert(int{cu_capability_major} == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
static_assert(int{cu_capability_minor} == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
static_assert(int{cu_memory_pools} == CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED);
static_assert(int{cu_shared_bytes} == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
static_assert(int{cu_local_bytes} == CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
static_assert(int{cu_registers} == CU_FUNC_ATTRIBUTE_NUM_REGS);
static_assert(int{cu_release_threshold} == CU_MEMPOOL_ATTR_RELEASE_THRESHOLD);
static_assert(int{cu_stream_non_blocking} == CU_STREAM_NON_BLOCKING);
static_assert(int{cu_event_no_timing} == CU_EVENT_DISABLE_TIMING);
static_assert(CUDA_SUCCESS == 0);
#endif
#if defined(SINTER_HAS_NVRTC_HEADER)
static_assert(int{nvrtc_compilation_failed} == NVRTC_ERROR_COMPILATION);
static_assert(NVRTC_SUCCESS == 0);
#endif
#if defined(SINTER_HAS_CUBLAS_HEADER)
static_assert(int{cublas_real_float} == CUDA_R_32F);
static_assert(int{cublas_real_double} == CUDA_R_64F);
static_assert(int{cublas_not_transposed} == CUBLAS_OP_N);
static_assert(int{cublas_transposed} == CUBLAS_OP_T);
static_assert(int{cublas_in_float} == CUBLAS_COMPUTE_32F);
static_assert(int{cublas_in_double} == CUBLAS_COMPUTE_64F);
static_assert(int{cublas_in_tf32} == CUBLAS_COMPUTE_32F_FAST_TF32);
static_assert(int{cublas_default_algorithm} == CUBLAS_GEMM_DEFAULT);
static_assert(CUBLAS_STATUS_SUCCESS == 0);
#endif

} // namespace

TEST_CASE("success is no exception, and every other status names the call") {
    check(0, "cuInit");
    CHECK(has(message_of<sinter::device_error>([] { check(cu_launch_failed, "cuStreamSynchronize"); }), "cuStreamSynchronize: "));
    CHECK(has(message_of<sinter::device_error>([] { check(cu_launch_failed, "cuStreamSynchronize"); }), "(CUDA_ERROR_LAUNCH_FAILED)"));
    CHECK(has(message_of<sinter::out_of_memory>([] { check(cu_out_of_memory, "cuMemAllocAsync"); }), "cuMemAllocAsync: "));
    CHECK(has(message_of<sinter::out_of_memory>([] { check(cu_out_of_memory, "cuMemAllocAsync"); }), "(CUDA_ERROR_OUT_OF_MEMORY)"));
    CHECK(has(message_of<sinter::device_error>([] { check(12345, "cuInit"); }), "cuInit: status 12345"));
}

TEST_CASE("a status of the other libraries is not read as one of the driver's") {
    CHECK(has(message_of<sinter::device_error>([] { check(2, "cublasCreate_v2"); }), "cublasCreate_v2: status 2"));
    CHECK(has(message_of<sinter::device_error>([] { check(2, "nvrtcCreateProgram"); }), "nvrtcCreateProgram: status 2"));
}

TEST_CASE("a call through the table throws what it returns") {
    SINTER_CUDA(cuInit, 0);
    int count = 0;
    SINTER_CUDA(cuDeviceGetCount, &count);
    CHECK(count > 0);
    CHECK(has(message_of<sinter::device_error>([] { SINTER_CUDA(cuDeviceGetCount, nullptr); }), "cuDeviceGetCount: "));
}

TEST_CASE("the emulator has every entry of the table") {
    require_driver();
    require_nvrtc();
    require_cublas();
    const driver_table& d = drivers();
    CHECK(d.emulated);
    for (const auto& library : {d.driver_library, d.nvrtc_library, d.cublas_library}) check_found(library);
#define SINTER_ENTRY(library, name, parameters) CHECK_MESSAGE(static_cast<bool>(d.name), #name);
#include "../../jit/driver.def"
}

TEST_CASE("a library that is missing says how to get it") {
    const std::string none = "SINTER_CUDA_DRIVER=/nonexistent/a.so SINTER_NVRTC=/nonexistent/b.so SINTER_CUBLAS=/nonexistent/c.so ";
    check_in_process("child: the files that were named cannot be opened", none + "SINTER_CUDA_EMULATOR=0");
    check_in_process("child: the files that were named cannot be opened", none + "SINTER_CUDA_EMULATOR=1");
    check_in_process("child: the emulator is not there", "SINTER_CUDA_EMULATOR=1 SINTER_EMULATOR_LIBRARIES=/nonexistent");
    check_in_process("child: the files are older or other libraries", "SINTER_CUDA_DRIVER=libm.so.6 SINTER_NVRTC=libm.so.6 SINTER_CUBLAS=libm.so.6");
    check_in_process("child: the libraries of the machine are there or not", "SINTER_CUDA_EMULATOR=0 ASAN_OPTIONS=detect_leaks=0");
}

TEST_CASE("a library that is found under its second name is found") {
    if (dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL)) {
        MESSAGE("skipped: the driver is there, under its first name");
        return;
    }
    std::string folder = fs::temp_directory_path() / "sinter-driver-XXXXXX";
    REQUIRE(mkdtemp(folder.data()));
    fs::create_symlink(fs::absolute(drivers().driver_library.path), folder + "/libcuda.so");
    check_in_process("child: the libraries of the machine are there or not",
                     "SINTER_CUDA_EMULATOR=0 ASAN_OPTIONS=detect_leaks=0 LD_LIBRARY_PATH=" + folder + ":\"$LD_LIBRARY_PATH\"");
    fs::remove_all(folder);
}

// ---- run by those above

TEST_CASE("child: the files that were named cannot be opened" * doctest::skip()) {
    const std::string driver = message_of<sinter::device_error>(require_driver);
    CHECK(has(driver, "the CUDA driver is missing: tried /nonexistent/a.so: "));
    CHECK(has(driver, "SINTER_CUDA_DRIVER"));
    CHECK(has(message_of<sinter::device_error>(require_nvrtc), "SINTER_NVRTC"));
    CHECK(has(message_of<sinter::device_error>(require_cublas), "SINTER_CUBLAS"));
    CHECK(has(message_of<sinter::out_of_memory>([] { check(2, "cuInit"); }), "cuInit: status 2")); // nobody has a text for it
}

TEST_CASE("child: the emulator is not there" * doctest::skip()) {
    for (const auto require : {require_driver, require_nvrtc, require_cublas}) {
        const std::string message = message_of<sinter::device_error>(require);
        CHECK(has(message, "/nonexistent/libsinter-emulator-"));
        CHECK(has(message, "SINTER_EMULATOR_LIBRARIES"));
    }
}

TEST_CASE("child: the files are older or other libraries" * doctest::skip()) {
    CHECK(has(message_of<sinter::device_error>(require_driver), "libm.so.6 has no cuInit"));
    CHECK(has(message_of<sinter::device_error>(require_nvrtc), "libm.so.6 has no nvrtcVersion"));
    CHECK(has(message_of<sinter::device_error>(require_cublas), "libm.so.6 has no cublasCreate_v2"));
}

TEST_CASE("child: the libraries of the machine are there or not" * doctest::skip()) {
    const driver_table& d = drivers();
    CHECK(!d.emulated);
    for (const auto& library : {d.driver_library, d.nvrtc_library, d.cublas_library}) check_found(library);
    if (d.driver_library.path.empty()) {
        const std::string message = message_of<sinter::device_error>(require_driver);
        CHECK(has(message, "install the NVIDIA driver"));
        CHECK(has(message, "SINTER_CUDA_EMULATOR=1"));
    }
    if (d.nvrtc_library.path.empty()) CHECK(has(message_of<sinter::device_error>(require_nvrtc), "install the CUDA toolkit"));
    if (d.cublas_library.path.empty()) CHECK(has(message_of<sinter::device_error>(require_cublas), "install the CUDA toolkit"));
}

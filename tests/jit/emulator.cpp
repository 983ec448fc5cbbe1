// tests/jit/emulator.cpp -- the emulated driver, NVRTC and cuBLAS: what they do, and each fault of a program that they must show.
//
// jit/emulator/session.hpp says where the libraries are.

#include <doctest/doctest.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <numeric>
#include <sys/wait.h>

#include "../../jit/emulator/sanitizer.hpp"
#include "../../jit/emulator/session.hpp"

namespace {

using namespace sinter::detail::jit;
using namespace sinter::detail::jit::emulator;
using floats = std::vector<float>;

constexpr int illegal_address = 700, misaligned = 716, invalid_handle = 400;

bool has(const std::string& text, const char* part) {
    if (text.find(part) != std::string::npos) return true;
    MESSAGE(text);
    return false;
}

/// The message of a kernel that fails, and the status of its context from then on.
void check_failure(const std::string& source, int status, const char* message, unsigned threads = 1, std::size_t bytes = 400) {
    CAPTURE(source);
    const auto [text, ended] = in_child([&] {
        session s;
        const cu_function f = s.kernel(source);
        const cu_address a = s.allocate(bytes);
        s.launch(f, 1, threads, a);
        if (s.synchronize() != status) _exit(1);
        cu_stream other = nullptr;
        if (cuda().cuStreamCreate(&other, 1) != status) _exit(2); // every later call says it again
        if (s.launch(f, 1, 1, a) != status) _exit(3);
    });
    CHECK(has(text, message));
    CHECK(ended == 0);
}

const std::string scale = R"(
extern "C" __global__ void __launch_bounds__(256) k(float* out, const float* x, const float s, const long long n)
{
    const long long i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = x[i] * s;
}
)";

} // namespace

TEST_CASE("a kernel runs over a grid whose end is ragged") {
    session s;
    const cu_function f = s.kernel(scale);
    floats x(1000);
    std::iota(x.begin(), x.end(), 0.0f);
    const cu_address from = s.upload(x), to = s.allocate(4000);
    CHECK(s.launch(f, 4, 256, to, from, 2.0f, 1000ll) == 0);
    const floats y = s.download(to, 1000);
    for (std::size_t i = 0; i < 1000; ++i) CHECK(y[i] == 2 * x[i]);
}

TEST_CASE("the mathematical functions of both types are there, whatever the kernel is called") {
    session s;
    const cu_function f = s.kernel(R"(
extern "C" __global__ void exp(double* out, float a, double b)
{
    out[0] = exp(a) + exp(b) + pow(a, 2) + rsqrt(4.0f) + fma(b, b, 1.0) + atan2(a, a) + abs(-3) + max(1, 2) + floor(2.5f);
    out[1] = isnan(a) + isinf(b) + signbit(-a) + __float_as_uint(1.0f) + __popc(7u) + __clz(1);
}
)", "exp");
    const cu_address to = s.allocate(16);
    CHECK(s.launch(f, 1, 1, to, 1.0f, 2.0) == 0);
    const auto r = s.download<double>(to, 2);
    CHECK(r[0] == doctest::Approx(2.718281828 + 7.389056099 + 1 + 0.5 + 5 + 0.785398163 + 3 + 2 + 2));
    CHECK(r[1] == 1.0 + 0x3f800000 + 3 + 31);
}

TEST_CASE("nothing runs before its stream is waited for") {
    session s;
    const cu_function f = s.kernel(scale);
    floats x{1, 2, 3, 4}, y{9, 9, 9, 9};
    const cu_address from = s.upload(x), to = s.allocate(16);
    x[0] = 100; // the upload had its bytes already
    float factor = 3;
    long long n = 4;
    void* parameters[] = {const_cast<cu_address*>(&to), const_cast<cu_address*>(&from), &factor, &n};
    CHECK(cuda().cuLaunchKernel(f, 1, 1, 1, 4, 1, 1, 0, s.stream, parameters, nullptr) == 0);
    factor = 50; // and the launch its parameters
    CHECK(cuda().cuMemcpyDtoHAsync_v2(y.data(), to, 16, s.stream) == 0);
    unsigned early = 0;
    std::memcpy(&early, y.data(), 4);
    CHECK(early == 0xcbcbcbcbu); // not the old value, nor the new one
    CHECK(s.synchronize() == 0);
    CHECK(y == floats{3, 6, 9, 12});
}

TEST_CASE("fresh memory, and memory used again, holds poison") {
    session s;
    for (const std::size_t bytes : {std::size_t{4000}, std::size_t{64} << 20}) {
        const cu_address a = s.allocate(bytes);
        CHECK(a % 256 == 0);
        CHECK(s.download<unsigned>(a + bytes - 4000, 1000) == std::vector<unsigned>(1000, 0xcbcbcbcbu));
        CHECK(cuda().cuMemFreeAsync(a, s.stream) == 0);
        CHECK(cuda().cuMemFreeAsync(a, s.stream) == cu_invalid_value);
        CHECK(s.allocate(bytes) != a);
    }
}

TEST_CASE("pinned memory is read when the stream comes to it, and must be there then") {
    session s;
    void* memory = nullptr;
    REQUIRE(cuda().cuMemAllocHost_v2(&memory, 16) == 0);
    auto* const p = static_cast<float*>(memory);
    CHECK(cuda().live("pinned") == 1);
    const cu_address a = s.allocate(16);
    std::fill(p, p + 4, 1.0f);
    CHECK(cuda().cuMemcpyHtoDAsync_v2(a, p, 16, s.stream) == 0);
    p[0] = 7; // too early
    CHECK(s.download(a, 4) == floats{7, 1, 1, 1});
    CHECK(cuda().cuMemcpyHtoDAsync_v2(a, p, 16, s.stream) == 0);
    CHECK(cuda().cuMemFreeHost(p) == 0);
    CHECK(s.synchronize() == illegal_address);
    CHECK(cuda().live("pinned") == 0);
}

TEST_CASE("host code cannot read device memory") {
    const auto [text, status] = in_child([] {
        const session s;
        const cu_address a = s.upload({1, 2, 3});
        CHECK(s.synchronize() == 0);
        const float stolen = *reinterpret_cast<const volatile float*>(a);
        _exit(stolen == 1 ? 1 : 2);
    });
    CHECK(has(text, "host code read device memory"));
    CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV));
}

TEST_CASE("what a kernel does to memory that is not its own is an error for ever, with the place named") {
#if !defined(SINTER_EMULATOR_ASAN) // which ends the process earlier
    check_failure("extern \"C\" __global__ void k(float* a) { a[102] = 1; }", illegal_address, "kernel k on device 0: it wrote to address", 1);
    check_failure("extern \"C\" __global__ void k(float* a) { a[102] = 1; }", illegal_address, "8 bytes after an allocation of 400 bytes");
#endif
    check_failure("extern \"C\" __global__ void k(float* a) { a[2000] = 1; }", illegal_address, "bytes after an allocation of 4000 bytes", 1, 4000);
    check_failure("extern \"C\" __global__ void k(float* a) { a[-2000] = 1; }", illegal_address, "before an allocation of 400 bytes");
    check_failure("extern \"C\" __global__ void k(float* a) { *(float*)8 = 1; }", illegal_address, "0x8: not device memory");
    check_failure("extern \"C\" __global__ void k(double* a) { *(double*)((char*)a + 4) = 1; }", misaligned, "misaligned");
    check_failure("struct alignas(16) v { float at[4]; };\nextern \"C\" __global__ void k(float* a) { a[0] = ((v*)(a + 1))->at[3]; }", misaligned,
                  "in block (0, 0, 0), thread (0, 0, 0)");
    check_failure("extern \"C\" __global__ void k(int* a) { a[0] = 7 / (int)(blockDim.x - 1); }", cu_launch_failed, "division by zero");
    check_failure("extern \"C\" __global__ void k(int* a) { __trap(); }", cu_launch_failed, "__trap()");
}

TEST_CASE("freed memory is gone when the stream comes to it, not before") {
    const auto [text, status] = in_child([] {
        session s;
        const cu_function f = s.kernel(scale);
        const cu_address a = s.upload({1, 2, 3, 4});
        CHECK(s.launch(f, 1, 4, a, a, 2.0f, 4ll) == 0);
        CHECK(cuda().cuMemFreeAsync(a, s.stream) == 0);
        if (s.synchronize() != 0) _exit(1);
        CHECK(s.launch(f, 1, 4, a, a, 2.0f, 4ll) == 0);
        if (s.synchronize() != illegal_address) _exit(2);
    });
    CHECK(has(text, "byte 0 of freed memory, once an allocation of 16 bytes"));
    CHECK(status == 0);
}

TEST_CASE("memory of another device, or of the host, is out of reach of a kernel; a copy between devices is not") {
    session s1(1);
    const cu_address there = s1.upload({1, 2, 3, 4});
    CHECK(s1.synchronize() == 0);
    session s0(0);
    const cu_function f = s0.kernel(scale);
    const cu_address here = s0.allocate(16);
    CHECK(cuda().cuMemcpyPeerAsync(here, s0.context, there, s1.context, 16, s0.stream) == 0);
    CHECK(s0.download(here, 4) == floats{1, 2, 3, 4});
    CHECK(cuda().cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s1.stream, nullptr, nullptr) == invalid_handle);
    CHECK(s0.launch(f, 1, 4, here, there, 2.0f, 4ll) == 0);
    CHECK(s0.synchronize() == illegal_address);
    CHECK(cuda().cuCtxSetCurrent(s1.context) == 0);
    CHECK(s1.download(there, 4) == floats{1, 2, 3, 4}); // the other context lives on
}

TEST_CASE("streams keep no order but that of their events") {
    session s;
    const cu_function f = s.kernel(scale);
    int late = 0;
    for (int round = 0; round < 40; ++round) {
        cu_stream other = nullptr;
        cu_event event = nullptr;
        REQUIRE(cuda().cuStreamCreate(&other, cu_stream_non_blocking) == 0);
        REQUIRE(cuda().cuEventCreate(&event, cu_event_no_timing) == 0);
        const cu_address a = s.upload({1});
        CHECK(s.synchronize() == 0);
        CHECK(s.launch(f, 1, 1, a, a, 2.0f, 1ll) == 0);
        const bool is_ordered = round % 2 == 0;
        CHECK(cuda().cuEventRecord(event, s.stream) == 0);
        if (is_ordered) CHECK(cuda().cuStreamWaitEvent(other, event, 0) == 0);
        CHECK(cuda().cuEventRecord(event, s.stream) == 0);
        float value = 0;
        CHECK(cuda().cuMemcpyDtoHAsync_v2(&value, a, 4, other) == 0);
        CHECK(cuda().cuStreamSynchronize(other) == 0);
        if (is_ordered) CHECK(value == 2);
        late += value == 1;
        CHECK(cuda().cuEventDestroy_v2(event) == 0);
        CHECK(cuda().cuStreamDestroy_v2(other) == 0);
    }
    CHECK((late > 0 && late < 20));
}

TEST_CASE("barriers and shuffles: a sum over 256 threads, with static and with dynamic shared memory") {
    session s;
    const cu_function f = s.kernel(R"(
__device__ float warp_sum(float v)
{
    for (int by = 16; by > 0; by /= 2) v += __shfl_down_sync(0xffffffffu, v, by);
    return v;
}
extern "C" __global__ void k(float* out, const float* x)
{
    __shared__ float parts[8];
    extern __shared__ float all[];
    all[threadIdx.x] = x[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    const float v = warp_sum(all[255 - threadIdx.x]);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x >= 32) return;
    float r = threadIdx.x < 8 ? parts[threadIdx.x] : 0;
    for (int by = 4; by > 0; by /= 2) r += __shfl_xor_sync(0xffffffffu, r, by);
    if (__all_sync(0xffffffffu, 1) && threadIdx.x == 0) out[blockIdx.x] = r;
}
)");
    floats x(1024);
    std::iota(x.begin(), x.end(), 0.0f);
    const cu_address from = s.upload(x), to = s.allocate(16);
    void* parameters[] = {const_cast<cu_address*>(&to), const_cast<cu_address*>(&from)};
    CHECK(cuda().cuLaunchKernel(f, 4, 1, 1, 256, 1, 1, 1024, s.stream, parameters, nullptr) == 0);
    CHECK(s.download(to, 4) == floats{32640, 98176, 163712, 229248});
    int shared = 0;
    CHECK(cuda().cuFuncGetAttribute(&shared, cu_shared_bytes, f) == 0);
    CHECK(shared == 32);
    CHECK(cuda().cuLaunchKernel(f, 4, 1, 1, 256, 1, 1, 48 << 10, s.stream, parameters, nullptr) == cu_invalid_value);
}

TEST_CASE("shared memory is poisoned before each block; a missing barrier, and a lane that never comes, show") {
    session s;
    const cu_function f = s.kernel(R"(
extern "C" __global__ void k(unsigned* out)
{
    __shared__ unsigned a[64];
    if (threadIdx.x == 0) out[blockIdx.x] = a[1];
    __syncthreads();
    a[threadIdx.x] = 5;
}
)");
    const cu_address to = s.allocate(256);
    CHECK(s.launch(f, 64, 64, to) == 0);
    CHECK(s.download<unsigned>(to, 64) == std::vector<unsigned>(64, 0xcbcbcbcbu));
    const cu_function racy = s.kernel("extern \"C\" __global__ void k(int* out) { __shared__ int a[64]; a[threadIdx.x] = 1;"
                                      "out[threadIdx.x] = a[63 - threadIdx.x]; __syncthreads(); }");
    CHECK(s.launch(racy, 1, 64, to) == 0);
    const auto values = s.download<int>(to, 64);
    CHECK(std::count(values.begin(), values.end(), 1) == 32); // the others came too early
    check_failure("extern \"C\" __global__ void k(int* a) { if (threadIdx.x != 5) a[threadIdx.x] = __shfl_down_sync(0xffffffffu, 1, 1); }",
                  cu_launch_failed, "for lane 5, which has returned", 64);
    check_failure("extern \"C\" __global__ void k(int* a) { a[threadIdx.x] = __shfl_down_sync(0x1u, 1, 1); }", cu_launch_failed,
                  "does not name it", 32);
}

TEST_CASE("a queue that grows long runs by itself") {
    session s;
    const cu_address a = s.upload({0});
    for (int k = 0; k < 300; ++k) CHECK(cuda().cuMemsetD8Async(a, 1, 4, s.stream) == 0);
    unsigned r = 0;
    CHECK(cuda().cuMemcpyDtoHAsync_v2(&r, a, 4, s.stream) == 0);
    for (int k = 0; k < 300; ++k) CHECK(cuda().cuMemsetD8Async(a, 2, 4, s.stream) == 0);
    CHECK(r == 0x01010101u);
}

TEST_CASE("launches out of the limits are refused") {
    session s;
    const cu_function f = s.kernel(scale);
    const cu_address a = s.allocate(16);
    CHECK(s.launch(f, 0, 1, a, a, 1.0f, 1ll) == cu_invalid_value);
    CHECK(s.launch(f, 1, 0, a, a, 1.0f, 1ll) == cu_invalid_value);
    CHECK(s.launch(f, 1, 2048, a, a, 1.0f, 1ll) == cu_invalid_value);
    CHECK(s.launch(f, 0x80000000u, 1, a, a, 1.0f, 1ll) == cu_invalid_value);
    CHECK(s.launch(f, 1, 512, a, a, 1.0f, 1ll) == 701); // more than the kernel's launch bounds
    const compiled c = compile_program("struct big { char at[4100]; };\nextern \"C\" __global__ void k(big b) {}");
    CHECK(c.status == nvrtc_compilation_failed);
    CHECK(has(c.log, "4096"));
}

TEST_CASE("a program that is wrong is refused with the place in its own file; so are unknown options and damaged images") {
    const compiled c = compile_program("extern \"C\" __global__ void k(int* a) {\n    a[0] = nothing;\n}\n");
    CHECK(c.status == nvrtc_compilation_failed);
    CHECK(has(c.log, "kernels/program.cu:2:12: error"));
    CHECK(!std::strstr(c.log.c_str(), "/tmp"));
    CHECK(!std::strstr(c.log.c_str(), "emulated"));
    CHECK(compile_program("#include <cmath>").status == nvrtc_compilation_failed);
    CHECK(has(compile_program("", {"--mystery"}).log, "unrecognized option --mystery"));
    compiled good = compile_program(scale, {"--gpu-architecture=sm_100", "-lineinfo", "--use_fast_math", "--fmad=true", "--ptxas-options=-v", "-default-device",
                                    "--device-int128", "--std=c++20"});
    REQUIRE(good.status == 0);
    const session s;
    cu_module m = nullptr;
    CHECK(cuda().cuModuleLoadData(&m, "\177ELF real machine code, of some other length than a header has, and then some more") == 200);
    good.image[good.image.size() / 2] ^= 1;
    CHECK(cuda().cuModuleLoadData(&m, good.image.data()) == 200);
}

TEST_CASE("failures come when they are ordered") {
    session s;
    const cu_function f = s.kernel(scale);
    cu_address a = s.allocate(16), b = 0;
    cuda().inject("alloc", 2);
    CHECK(cuda().cuMemAllocAsync(&b, 16, s.stream) == 0);
    CHECK(cuda().cuMemAllocAsync(&b, 16, s.stream) == cu_out_of_memory);
    CHECK(cuda().cuMemAllocAsync(&b, 16, s.stream) == 0);
    cuda().inject("alloc_always", 1);
    for (int k = 0; k < 3; ++k) CHECK(cuda().cuMemAllocAsync(&b, 16, s.stream) == cu_out_of_memory);
    cuda().inject("alloc_always", -1);
    cuda().inject("launch", 1);
    CHECK(s.launch(f, 1, 4, a, a, 1.0f, 4ll) == cu_launch_failed);
    CHECK(s.launch(f, 1, 4, a, a, 1.0f, 4ll) == 0);
    cuda().inject("compile", 1);
    CHECK(has(compile_program(scale).log, "injected"));
    CHECK(compile_program(scale).status == 0);
    cuda().inject("lost", 1);
    for (int k = 0; k < 3; ++k) CHECK(s.synchronize() == 999);
    cuda().inject("lost", -1);
    CHECK(s.synchronize() == 0);
    std::size_t free = 0, total = 0;
    CHECK(cuda().cuMemGetInfo_v2(&free, &total) == 0);
    CHECK(cuda().cuMemAllocAsync(&b, total + 1, s.stream) == cu_out_of_memory);
    CHECK(cuda().cuMemAllocAsync(&b, free, s.stream) == 0); // costs nothing before it is written
    CHECK(cuda().cuMemAllocAsync(&a, 256, s.stream) == cu_out_of_memory);
    CHECK(cuda().cuMemFreeAsync(b, s.stream) == 0);
    CHECK(cuda().cuMemAllocAsync(&a, 256, s.stream) == 0); // the stream's own frees come first
}

TEST_CASE("what is alive is counted") {
    CHECK(cuda().live("contexts") == 0);
    session s;
    const long long before = cuda().live("launches");
    const cu_function f = s.kernel(scale);
    const cu_address a = s.allocate(1000);
    CHECK(s.launch(f, 1, 1, a, a, 1.0f, 1ll) == 0);
    CHECK(cuda().live("launches") == before + 1);
    CHECK(cuda().live("bytes") == 1000);
    for (const char* const what : {"allocations", "streams", "modules", "contexts"}) CHECK(cuda().live(what) == 1);
    CHECK(cuda().live("events") == 0);
    CHECK(cuda().cuMemFreeAsync(a, s.stream) == 0);
    CHECK(cuda().live("allocations") == 0);
}

TEST_CASE("what is left at the end is reported") {
    const auto [text, status] = in_child([] {
        setenv("SINTER_EMULATOR_REPORT", "1", 1);
        cu_context c = nullptr;
        cu_stream st = nullptr;
        cu_address a = 0;
        cuda().cuDevicePrimaryCtxRetain(&c, 0);
        cuda().cuCtxSetCurrent(c);
        cuda().cuStreamCreate(&st, cu_stream_non_blocking);
        cuda().cuMemAllocAsync(&a, 400, st);
        std::exit(0);
    });
    CHECK(status == 0);
    CHECK(has(text, "sinter emulator: leaked 1 allocations of 400 bytes"));
    CHECK(has(text, "sinter emulator: leaked 1 streams"));
    CHECK(has(text, "sinter emulator: leaked 1 contexts"));
}

TEST_CASE("cuBLAS multiplies when its stream comes to it, with transposed operands and strided batches") {
    session s;
    cublas_handle h = nullptr;
    REQUIRE(cuda().cublasCreate_v2(&h) == 0);
    REQUIRE(cuda().cublasSetStream_v2(h, s.stream) == 0);
    // Two products of a 2 x 3 and a 3 x 2 matrix; the first operand is given transposed.
    const cu_address a = s.upload({1, 2, 3, 4, 5, 6, 1, 0, 0, 0, 1, 0}), b = s.upload({1, 0, 1, 0, 1, 0}), c = s.allocate(32);
    const float alpha = 2, beta = 0;
    const auto p = [](cu_address address) { return reinterpret_cast<void*>(address); };
    const auto multiply = [&](int lda) {
        return cuda().cublasGemmStridedBatchedEx(h, cublas_transposed, cublas_not_transposed, 2, 2, 3, &alpha, p(a), cublas_real_float, lda, 6, p(b),
                                                 cublas_real_float, 3, 0, &beta, p(c), cublas_real_float, 2, 4, 2, cublas_in_float,
                                                 cublas_default_algorithm);
    };
    CHECK(multiply(2) == 7); // a leading dimension below the three rows
    CHECK(multiply(3) == 0);
    CHECK(s.download(c, 8) == floats{8, 20, 4, 10, 2, 0, 0, 2});
    CHECK(cuda().cublasDestroy_v2(h) == 0);
}

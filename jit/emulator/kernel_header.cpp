// jit/emulator/kernel_header.cpp -- what a kernel's source sees of CUDA when the host compiler builds it, as text.
//
// Without any header of the host: compile time matters most, as a test run builds thousands of kernels. Everything, the
// kernels too, is inside one unnamed namespace, so that what a kernel does not use costs nothing.

#include "kernel_header.hpp"

namespace sinter::detail::jit::emulator {

const char* const kernel_header_language = R"cuda(
#define __CUDACC__ 1
#define __CUDACC_RTC__ 1
#define SINTER_EMULATOR 1
#define __global__
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __grid_constant__
// One block of one kernel runs at a time, so its shared variables are the only ones; the driver poisons the section.
#define __shared__ static __attribute__((section("sinter_shared")))
#define __builtin_assume(condition) ((void)0)

extern "C" {
struct emulated_index { unsigned x, y, z; };
struct emulated_state_type {
    emulated_index thread, block, block_extent, grid_extent;
    unsigned char* dynamic_shared;
    void (*wait_block)();
    unsigned long long (*wait_lanes)(unsigned kind, unsigned mask, unsigned long long bits, unsigned source);
    void (*trap)();
};
struct emulated_kernel {
    const char* name;
    void (*run)(void**, unsigned, unsigned);
    const unsigned* parameter_bytes;
    const unsigned char* parameter_kinds;
    unsigned greatest_block, is_collective;
};
struct emulated_table {
    unsigned version, kernel_count;
    emulated_state_type* state;
    unsigned char *shared_begin, *shared_end;
    const emulated_kernel* kernels;
};
extern __attribute__((weak, visibility("hidden"))) unsigned char __start_sinter_shared[], __stop_sinter_shared[];
}
namespace {

using size_t = decltype(sizeof(0));
using uint3 = emulated_index;
struct dim3 { unsigned x = 1, y = 1, z = 1; };
#define EMULATED_VECTOR(type, name) \
    struct alignas(2 * sizeof(type)) name##2 { type x, y; }; \
    struct alignas(4 * sizeof(type) < 16 ? 4 * sizeof(type) : 16) name##4 { type x, y, z, w; }; \
    inline name##2 make_##name##2(type x, type y) { return {x, y}; } \
    inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
EMULATED_VECTOR(int, int) EMULATED_VECTOR(unsigned, uint) EMULATED_VECTOR(float, float) EMULATED_VECTOR(double, double)

emulated_state_type emulated_state;
constexpr const emulated_index& threadIdx = emulated_state.thread;
constexpr const emulated_index& blockIdx = emulated_state.block;
constexpr const emulated_index& blockDim = emulated_state.block_extent;
constexpr const emulated_index& gridDim = emulated_state.grid_extent;
constexpr int warpSize = 32;

inline void __syncthreads() { emulated_state.wait_block(); asm volatile("" ::: "memory"); }
inline void __syncwarp(unsigned mask = 0xffffffffu) { emulated_state.wait_lanes(3, mask, 0, 0); asm volatile("" ::: "memory"); }
inline void __threadfence() {}
inline void __threadfence_block() {}
[[noreturn]] inline void __trap() { emulated_state.trap(); __builtin_unreachable(); }

inline unsigned emulated_lane()
{
    return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32;
}
template <class T>
inline T emulated_exchange(unsigned mask, T value, unsigned source)
{
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, &value, sizeof(T));
    bits = emulated_state.wait_lanes(1, mask, bits, source);
    __builtin_memcpy(&value, &bits, sizeof(T));
    return value;
}
#define EMULATED_SHUFFLES(T) \
    inline T __shfl_sync(unsigned mask, T value, int source, int width = 32) \
    { return emulated_exchange(mask, value, (emulated_lane() & ~(width - 1u)) + (source & (width - 1u))); } \
    inline T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32) \
    { const unsigned lane = emulated_lane(), first = lane & ~(width - 1u); \
      return emulated_exchange(mask, value, lane >= first + by ? lane - by : lane); } \
    inline T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32) \
    { const unsigned lane = emulated_lane(), last = lane | (width - 1u); \
      return emulated_exchange(mask, value, by <= last - lane ? lane + by : lane); } \
    inline T __shfl_xor_sync(unsigned mask, T value, int with, int width = 32) \
    { const unsigned lane = emulated_lane(), other = lane ^ with; \
      return emulated_exchange(mask, value, other <= (lane | (width - 1u)) ? other : lane); }
EMULATED_SHUFFLES(int) EMULATED_SHUFFLES(unsigned) EMULATED_SHUFFLES(long) EMULATED_SHUFFLES(unsigned long)
EMULATED_SHUFFLES(long long) EMULATED_SHUFFLES(unsigned long long) EMULATED_SHUFFLES(float) EMULATED_SHUFFLES(double)
inline unsigned __ballot_sync(unsigned mask, int is) { return (unsigned)emulated_state.wait_lanes(2, mask, is != 0, 0); }
inline int __any_sync(unsigned mask, int is) { return __ballot_sync(mask, is) != 0; }
inline int __all_sync(unsigned mask, int is) { return __ballot_sync(mask, is) == mask; }

// Threads run one at a time: an atomic operation is a plain one.
#define EMULATED_ATOMIC(name, value) \
    template <class T> inline T name(T* at, decltype(T()) b) { const T a = *at; *at = value; return a; }
EMULATED_ATOMIC(atomicAdd, a + b) EMULATED_ATOMIC(atomicSub, a - b) EMULATED_ATOMIC(atomicExch, b)
EMULATED_ATOMIC(atomicMin, a < b ? a : b) EMULATED_ATOMIC(atomicMax, a > b ? a : b)
EMULATED_ATOMIC(atomicAnd, a & b) EMULATED_ATOMIC(atomicOr, a | b) EMULATED_ATOMIC(atomicXor, a ^ b)
template <class T>
inline T atomicCAS(T* at, decltype(T()) expected, decltype(T()) b) { const T a = *at; if (a == expected) *at = b; return a; }

template <class T> inline T __ldg(const T* from) { return *from; }
template <class T> inline T __ldcs(const T* from) { return *from; }
template <class T> inline T __ldcg(const T* from) { return *from; }
template <class T> inline void __stcs(T* to, T value) { *to = value; }

template <class To, class From>
inline To emulated_bits(From from) { To r; __builtin_memcpy(&r, &from, sizeof(r)); return r; }
inline float __uint_as_float(unsigned a) { return emulated_bits<float>(a); }
inline unsigned __float_as_uint(float a) { return emulated_bits<unsigned>(a); }
inline float __int_as_float(int a) { return emulated_bits<float>(a); }
inline int __float_as_int(float a) { return emulated_bits<int>(a); }
inline double __longlong_as_double(long long a) { return emulated_bits<double>(a); }
inline long long __double_as_longlong(double a) { return emulated_bits<long long>(a); }
inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
inline int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) { return (unsigned __int128)a * b >> 64; }
inline long long __mul64hi(long long a, long long b) { return (__int128)a * b >> 64; }
inline int __clz(int a) { return a ? __builtin_clz(a) : 32; }
inline int __clzll(long long a) { return a ? __builtin_clzll(a) : 64; }
inline int __ffs(int a) { return __builtin_ffs(a); }
inline int __ffsll(long long a) { return __builtin_ffsll(a); }
inline int __popc(unsigned a) { return __builtin_popcount(a); }
inline int __popcll(unsigned long long a) { return __builtin_popcountll(a); }
)cuda";

const char* const kernel_header_mathematics = R"cuda(
template <bool Is> struct emulated_if {};
template <> struct emulated_if<true> { using type = int; };
template <class T> constexpr bool emulated_whole = false;
#define EMULATED_WHOLE(T) template <> constexpr bool emulated_whole<T> = true;
EMULATED_WHOLE(bool) EMULATED_WHOLE(char) EMULATED_WHOLE(signed char) EMULATED_WHOLE(unsigned char) EMULATED_WHOLE(short)
EMULATED_WHOLE(unsigned short) EMULATED_WHOLE(int) EMULATED_WHOLE(unsigned) EMULATED_WHOLE(long) EMULATED_WHOLE(unsigned long)
EMULATED_WHOLE(long long) EMULATED_WHOLE(unsigned long long)
template <class A, class B> constexpr bool emulated_mixed = true;
template <> constexpr bool emulated_mixed<float, float> = false;
template <> constexpr bool emulated_mixed<double, double> = false;

// Functions of integers, and of two unlike types, are those of double, as in C++.
#define EMULATED_MATH1(name) \
    inline float name##f(float a) { return __builtin_##name##f(a); } \
    inline float name(float a) { return __builtin_##name##f(a); } \
    inline double name(double a) { return __builtin_##name(a); } \
    template <class T, typename emulated_if<emulated_whole<T>>::type = 0> inline double name(T a) { return __builtin_##name((double)a); }
#define EMULATED_MATH2(name) \
    inline float name##f(float a, float b) { return __builtin_##name##f(a, b); } \
    inline float name(float a, float b) { return __builtin_##name##f(a, b); } \
    inline double name(double a, double b) { return __builtin_##name(a, b); } \
    template <class A, class B, typename emulated_if<emulated_mixed<A, B>>::type = 0> \
    inline double name(A a, B b) { return __builtin_##name((double)a, (double)b); }
EMULATED_MATH1(sin) EMULATED_MATH1(cos) EMULATED_MATH1(tan) EMULATED_MATH1(asin) EMULATED_MATH1(acos) EMULATED_MATH1(atan)
EMULATED_MATH1(sinh) EMULATED_MATH1(cosh) EMULATED_MATH1(tanh) EMULATED_MATH1(asinh) EMULATED_MATH1(acosh) EMULATED_MATH1(atanh)
EMULATED_MATH1(exp) EMULATED_MATH1(exp2) EMULATED_MATH1(expm1) EMULATED_MATH1(log) EMULATED_MATH1(log2)
EMULATED_MATH1(log10) EMULATED_MATH1(log1p) EMULATED_MATH1(sqrt) EMULATED_MATH1(cbrt) EMULATED_MATH1(erf) EMULATED_MATH1(erfc)
EMULATED_MATH1(lgamma) EMULATED_MATH1(tgamma) EMULATED_MATH1(floor) EMULATED_MATH1(ceil) EMULATED_MATH1(trunc)
EMULATED_MATH1(round) EMULATED_MATH1(rint) EMULATED_MATH1(nearbyint) EMULATED_MATH1(fabs)
EMULATED_MATH2(atan2) EMULATED_MATH2(pow) EMULATED_MATH2(hypot) EMULATED_MATH2(fmod) EMULATED_MATH2(remainder)
EMULATED_MATH2(copysign) EMULATED_MATH2(nextafter) EMULATED_MATH2(fmin) EMULATED_MATH2(fmax) EMULATED_MATH2(fdim)
inline float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
inline double exp10(double a) { return __builtin_pow(10.0, a); }
inline float exp10f(float a) { return (float)__builtin_pow(10.0, (double)a); }
inline float exp10(float a) { return exp10f(a); }
inline float __exp10f(float a) { return exp10f(a); }
inline float rsqrtf(float a) { return (float)(1 / __builtin_sqrt((double)a)); }
inline float rsqrt(float a) { return rsqrtf(a); }
inline double rsqrt(double a) { return 1 / __builtin_sqrt(a); }
inline float ldexp(float a, int b) { return __builtin_ldexpf(a, b); }
inline double ldexp(double a, int b) { return __builtin_ldexp(a, b); }
inline void sincosf(float a, float* s, float* c) { *s = __builtin_sinf(a); *c = __builtin_cosf(a); }
inline void sincos(float a, float* s, float* c) { sincosf(a, s, c); }
inline void sincos(double a, double* s, double* c) { *s = __builtin_sin(a); *c = __builtin_cos(a); }
// Exact before the multiplication by pi, as a wide remainder is.
inline double sinpi(double a) { return __builtin_sin(3.141592653589793 * (a - 2 * __builtin_rint(a / 2))); }
inline double cospi(double a) { return __builtin_cos(3.141592653589793 * (a - 2 * __builtin_rint(a / 2))); }
inline float sinpif(float a) { return (float)sinpi((double)a); }
inline float cospif(float a) { return (float)cospi((double)a); }
inline float sinpi(float a) { return sinpif(a); }
inline float cospi(float a) { return cospif(a); }
#define EMULATED_TEST(name, builtin) \
    inline bool name(float a) { return builtin(a); } \
    inline bool name(double a) { return builtin(a); } \
    template <class T, typename emulated_if<emulated_whole<T>>::type = 0> inline bool name(T a) { return builtin((double)a); }
EMULATED_TEST(isnan, __builtin_isnan) EMULATED_TEST(isinf, __builtin_isinf_sign) EMULATED_TEST(isfinite, __builtin_isfinite)
EMULATED_TEST(signbit, __builtin_signbit)

inline int abs(int a) { return a < 0 ? -a : a; }
inline long abs(long a) { return a < 0 ? -a : a; }
inline long long abs(long long a) { return a < 0 ? -a : a; }
inline long long llabs(long long a) { return a < 0 ? -a : a; }
inline float abs(float a) { return __builtin_fabsf(a); }
inline double abs(double a) { return __builtin_fabs(a); }
#define EMULATED_EXTREMES(T) \
    inline T min(T a, T b) { return b < a ? b : a; } \
    inline T max(T a, T b) { return a < b ? b : a; }
EMULATED_EXTREMES(int) EMULATED_EXTREMES(unsigned) EMULATED_EXTREMES(long) EMULATED_EXTREMES(unsigned long)
EMULATED_EXTREMES(long long) EMULATED_EXTREMES(unsigned long long)
inline unsigned min(int a, unsigned b) { return min((unsigned)a, b); }
inline unsigned min(unsigned a, int b) { return min(a, (unsigned)b); }
inline unsigned max(int a, unsigned b) { return max((unsigned)a, b); }
inline unsigned max(unsigned a, int b) { return max(a, (unsigned)b); }
inline float min(float a, float b) { return __builtin_fminf(a, b); }
inline float max(float a, float b) { return __builtin_fmaxf(a, b); }
inline double min(double a, double b) { return __builtin_fmin(a, b); }
inline double max(double a, double b) { return __builtin_fmax(a, b); }

// The approximate functions of the device are exact ones here.
#define EMULATED_FAST(name) inline float __##name##f(float a) { return __builtin_##name##f(a); }
EMULATED_FAST(exp) EMULATED_FAST(log) EMULATED_FAST(log2) EMULATED_FAST(log10) EMULATED_FAST(sin)
EMULATED_FAST(cos) EMULATED_FAST(tan)
inline float __powf(float a, float b) { return __builtin_powf(a, b); }
inline float __fdividef(float a, float b) { return a / b; }
inline void __sincosf(float a, float* s, float* c) { sincosf(a, s, c); }
inline float __saturatef(float a) { return a > 0 ? a < 1 ? a : 1.0f : 0.0f; }
#define EMULATED_ROUNDED(name, type, value) inline type name(type a, type b) { return value; }
EMULATED_ROUNDED(__fadd_rn, float, a + b) EMULATED_ROUNDED(__fmul_rn, float, a * b) EMULATED_ROUNDED(__fsub_rn, float, a - b)
EMULATED_ROUNDED(__dadd_rn, double, a + b) EMULATED_ROUNDED(__dmul_rn, double, a * b) EMULATED_ROUNDED(__dsub_rn, double, a - b)
EMULATED_ROUNDED(__fdiv_rn, float, a / b) EMULATED_ROUNDED(__ddiv_rn, double, a / b)
inline float __fsqrt_rn(float a) { return __builtin_sqrtf(a); }
inline float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }
)cuda";

const char* const kernel_header_tail = R"cuda(
template <class T> struct emulated_parameter { using type = T; static constexpr unsigned char kind = 0; };
template <class T> struct emulated_parameter<T*> { using type = T*; static constexpr unsigned char kind = 1; };
template <class... P> struct emulated_parameters {
    static_assert((0 + ... + sizeof(P)) <= 4096, "formal parameter space overflowed (4096 bytes at most)");
    static constexpr unsigned bytes[] = {(unsigned)sizeof(P)..., 0};
    static constexpr unsigned char kinds[] = {emulated_parameter<P>::kind..., 0};
};
template <class... P> emulated_parameters<P...> emulated_parameters_of(void (*)(P...));
struct emulated_call {
    template <class... P> // in braces, so that its operands are evaluated in their order
    emulated_call(void (*kernel)(P...), typename emulated_parameter<P>::type... p) { kernel(p...); }
};
template <class... P>
void emulated_run(void (*kernel)(P...), void** p, unsigned begin, unsigned end)
{
    // Divided once, then counted: a division is as long as many a kernel.
    const emulated_index extent = emulated_state.block_extent;
    unsigned x = begin % extent.x, y = begin / extent.x % extent.y, z = begin / (extent.x * extent.y);
    for (unsigned t = begin; t < end; ++t) {
        emulated_state.thread.x = x;
        emulated_state.thread.y = y;
        emulated_state.thread.z = z;
        if (++x == extent.x) x = 0, ++y;
        if (y == extent.y) y = 0, ++z;
        int i = 0;
        emulated_call{kernel, *(P*)p[i++]...};
    }
}
)cuda";

} // namespace sinter::detail::jit::emulator

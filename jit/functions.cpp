// jit/functions.cpp -- stage 4: the device functions that C++ and CUDA do not have: sinter's rules for integers, casts and NaN.
//
// A kernel's source holds those that it calls, and no others.

#include <array>

#include "source.hpp"

namespace sinter::detail::jit {
namespace {

struct device_function {
    const char* name;
    const char* text;
};

// In an order in which each comes after those that it calls.
constexpr device_function functions[] = {
    {"vec", R"(
// N neighbouring elements, read or written by accesses of up to 16 bytes.
template <class T, int N>
struct alignas(sizeof(T) * N < 16 ? sizeof(T) * N : 16) vec {
    T at[N];
};
)"},
    {"load_vec", R"(
template <int N, class T>
__device__ __forceinline__ vec<T, N> load_vec(const T* from)
{
    return *reinterpret_cast<const vec<T, N>*>(from);
}
)"},
    {"store_vec", R"(
template <int N, class T>
__device__ __forceinline__ void store_vec(T* to, const vec<T, N>& values)
{
    *reinterpret_cast<vec<T, N>*>(to) = values;
}
)"},
    {"minimum", R"(
// NaN when either is NaN; -0 is below +0.
template <class T>
__device__ __forceinline__ T minimum(const T a, const T b)
{
    return a != a ? a : a == b ? (signbit(a) ? a : b) : a < b ? a : b;
}
)"},
    {"maximum", R"(
// NaN when either is NaN; +0 is above -0.
template <class T>
__device__ __forceinline__ T maximum(const T a, const T b)
{
    return a != a ? a : a == b ? (signbit(a) ? b : a) : a > b ? a : b;
}
)"},
    {"divide", R"(
// Rounded toward zero; 0 when dividing by 0; the lowest integer by -1 wraps.
template <class T>
__device__ __forceinline__ T divide(const T a, const T b)
{
    if (b == 0) return 0;
    if (T(-1) < T(0) && b == T(-1)) return (T)(0ull - (unsigned long long)a);
    return (T)(a / b);
}
)"},
    {"modulo", R"(
// The remainder of division toward zero; 0 when dividing by 0.
template <class T>
__device__ __forceinline__ T modulo(const T a, const T b)
{
    if (b == 0 || (T(-1) < T(0) && b == T(-1))) return 0;
    return (T)(a % b);
}
)"},
    {"shift_left", R"(
// 0 where the shift is negative, or as wide as the type.
template <class T>
__device__ __forceinline__ T shift_left(const T a, const T b)
{
    const unsigned long long by = (unsigned long long)b;
    return by < 8 * sizeof(T) ? (T)((unsigned long long)a << by) : T(0);
}
)"},
    {"shift_right", R"(
// 0, or -1 for a negative a, where the shift is negative, or as wide as the type.
template <class T>
__device__ __forceinline__ T shift_right(const T a, const T b)
{
    const unsigned long long by = (unsigned long long)b;
    return by < 8 * sizeof(T) ? (T)(a >> by) : a < T(0) ? T(-1) : T(0);
}
)"},
    {"power", R"(
// By squaring, wrapping. Of a negative power, 1 and -1 alone have an integer value; the others give 0.
template <class T>
__device__ __forceinline__ T power(const T a, const T b)
{
    if (b < T(0)) return a == T(1) ? T(1) : a == T(-1) ? ((b & 1) ? T(-1) : T(1)) : T(0);
    unsigned long long result = 1, base = (unsigned long long)a;
    for (unsigned long long rest = (unsigned long long)b; rest != 0; rest >>= 1) {
        if (rest & 1) result *= base;
        base *= base;
    }
    return (T)result;
}
)"},
    {"saturated", R"(
// A floating-point value truncated to an integer of type T: at most its greatest, at least its least; 0 for NaN.
template <class T, class F>
__device__ __forceinline__ T saturated(const F value)
{
    const bool is_signed = T(-1) < T(0);
    const F above = (F)(1ull << (8 * sizeof(T) - 1)) * (is_signed ? F(1) : F(2));
    const T most = is_signed ? (T)(((unsigned long long)1 << (8 * sizeof(T) - 1)) - 1) : (T)~0ull;
    if (value >= above) return most;
    if (is_signed ? value < -above : value <= F(-1)) return (T)~most;
    return value == value ? (T)value : T(0);
}
)"},
    {"shuffle_down", R"(
// The value of the thread `by` lanes further on.
template <class T>
__device__ __forceinline__ T shuffle_down(const T value, const unsigned by)
{
    if (sizeof(T) >= 4) return __shfl_down_sync(0xffffffffu, value, by);
    return (T)__shfl_down_sync(0xffffffffu, (int)value, by);
}
)"},
};

/// Whether text calls the function, or names the type.
bool uses(const std::string& text, const std::string& name) {
    const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
        const char before = at > 0 ? text[at - 1] : ' ';
        const char after = at + name.size() < text.size() ? text[at + name.size()] : ' ';
        if (!is_word(before) && (after == '(' || after == '<')) return true;
    }
    return false;
}

} // namespace

std::string with_device_functions(const std::string& text) {
    std::array<bool, std::size(functions)> needed{};
    std::string all = text;
    for (std::size_t k = std::size(functions); k-- > 0;) {
        if (!uses(all, functions[k].name)) continue;
        needed[k] = true;
        all += functions[k].text;
    }
    std::string r;
    for (std::size_t k = 0; k < std::size(functions); ++k)
        if (needed[k]) r += functions[k].text + 1;
    return r.empty() ? text : r + "\n" + text;
}

} // namespace sinter::detail::jit

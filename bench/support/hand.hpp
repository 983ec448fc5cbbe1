// bench/support/hand.hpp -- what hand-written loops are made of: chunks for threads, vectors, stores past the caches.
//
// Compiled for the processor of this machine: -march=x86-64-v4 where it has AVX-512.
#pragma once

#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>

#include <algorithm>
#include <cstring>
#include <utility>

#if defined(__x86_64__)
    #include <immintrin.h>
#endif

#include "support/measure.hpp"

namespace bench {

/// Calls f(first, last) for one chunk of [0, n) on each thread; for n below `serial` once, on this thread.
template <class F>
[[gnu::always_inline]] inline void for_chunks(int64_t n, int threads, int64_t serial, F f) {
    if (threads == 1 || n < serial) {
        f(0, n);
        return;
    }
    // Whole cache lines, unless there are too few units (rows, then) for that.
    const int64_t unit = n < 65'536 ? 1 : 1024, chunk = (n / threads + unit - 1) / unit * unit;
    tbb::parallel_for(
        0, threads, [&](int t) { f(t * chunk, t == threads - 1 ? n : (t + 1) * chunk); }, tbb::static_partitioner{});
}

/// The sum of f(first, last) over such chunks.
template <class T, class F>
[[gnu::always_inline]] inline T sum_chunks(int64_t n, int threads, int64_t serial, F f) {
    if (threads == 1 || n < serial) return f(0, n);
    struct alignas(64) part {
        T sum;
    };
    std::vector<part> parts(static_cast<std::size_t>(threads));
    tbb::parallel_for(
        0, threads, [&](int t) { parts[static_cast<std::size_t>(t)].sum = f(n * t / threads, n * (t + 1) / threads); },
        tbb::static_partitioner{});
    T sum = 0;
    for (const part& p : parts) sum += p.sum;
    return sum;
}

/// Where light elementwise work, heavy work, and rows of 1000 start to gain from threads.
inline constexpr int64_t light = 100'000, heavy = 5'000, rows = 100;

#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
#elif defined(__AVX__)
inline constexpr int vector_bytes = 32;
#else
inline constexpr int vector_bytes = 16;
#endif

template <class T>
struct vector_of {
    typedef T type [[gnu::vector_size(vector_bytes)]];
};
template <class T>
using vector = typename vector_of<T>::type;
template <class T>
inline constexpr int lanes = vector_bytes / static_cast<int>(sizeof(T));

template <class T>
[[gnu::always_inline]] inline vector<T> load(const T* from) {
    vector<T> v;
    std::memcpy(&v, from, sizeof(v));
    return v;
}
template <class T>
[[gnu::always_inline]] inline void store(const vector<T>& v, T* to) {
    std::memcpy(to, &v, sizeof(v));
}

/// Stores past the caches; `to` is aligned to a vector. Followed by fence() before others read.
template <class T>
[[gnu::always_inline]] inline void stream(const vector<T>& v, T* to) {
#if defined(__AVX512F__)
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to), (__m512i)v);
#elif defined(__AVX__)
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to), (__m256i)v);
#elif defined(__x86_64__)
    _mm_stream_si128(reinterpret_cast<__m128i*>(to), (__m128i)v);
#else
    store(v, to);
#endif
}
inline void fence() {
#if defined(__x86_64__)
    _mm_sfence();
#endif
}

/// Lanes F(0), F(1), … of a and b, one after the other.
template <class T, auto F, int... I>
[[gnu::always_inline]] inline vector<T> shuffle(const vector<T>& a, const vector<T>& b,
                                                std::integer_sequence<int, I...>) {
    return __builtin_shufflevector(a, b, F(I)...);
}
template <class T, auto F>
[[gnu::always_inline]] inline vector<T> shuffle(const vector<T>& a, const vector<T>& b) {
    return shuffle<T, F>(a, b, std::make_integer_sequence<int, lanes<T>>{});
}

/// The sum of all lanes.
template <class T, int Half = lanes<T> / 2>
[[gnu::always_inline]] inline T sum_of(const vector<T>& v) {
    if constexpr (Half == 0)
        return v[0];
    else
        return sum_of<T, Half / 2>(v + shuffle<T, [](int i) { return i ^ Half; }>(v, v));
}

/// The sum of f(i), a vector, over [0, n): four accumulators. g(i) is the same for one of the last elements.
template <class T, class F, class G>
[[gnu::always_inline]] inline T sum_over(int64_t n, F f, G g) {
    constexpr int64_t step = lanes<T>;
    vector<T> s0{}, s1{}, s2{}, s3{};
    int64_t i = 0;
    for (; i + 4 * step <= n; i += 4 * step) {
        s0 += f(i);
        s1 += f(i + step);
        s2 += f(i + 2 * step);
        s3 += f(i + 3 * step);
    }
    for (; i + step <= n; i += step) s0 += f(i);
    T sum = sum_of<T>((s0 + s1) + (s2 + s3));
    for (; i < n; ++i) sum += g(i);
    return sum;
}

} // namespace bench

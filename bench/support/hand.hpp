// bench/support/hand.hpp -- what hand-written loops are made of: chunks for threads, vectors, stores past the caches.
//
// Compiled for the processor of this machine: -march=x86-64-v4 where it has AVX-512.
#pragma once

#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>

#include <algorithm>
#include <cstring>

#if defined(__x86_64__)
#    include <immintrin.h>
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

/// The sum of all lanes.
template <class T>
[[gnu::always_inline]] inline T sum_of(const vector<T>& v) {
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == 4) return _mm512_reduce_add_ps((__m512)v);
#endif
    T sum = 0;
    for (int i = 0; i < lanes<T>; ++i) sum += v[i];
    return sum;
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

// bench/support/problem.hpp -- what a workload's problem is made of: sizes, memory, and numbers to put there.
#pragma once

#include <sys/mman.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>

namespace bench {

using std::int64_t;

inline constexpr int64_t sizes[] = {64, 10'000, 1'000'000, 20'000'000};

/// Elements for all implementations alike: aligned, and advised to be huge pages, as the memory of large tensors is.
template <class T>
class array {
public:
    explicit array(int64_t n) : n_(n), memory_(allocate(n)) {}

    int64_t size() const { return n_; }
    T* data() const { return memory_.get(); }
    T& operator[](int64_t i) const { return memory_.get()[i]; }

    /// Numbers spread evenly over [low, high), the same in every run.
    void fill(double low, double high, std::uint32_t seed) const {
        for (int64_t i = 0; i < n_; ++i) {
            std::uint32_t bits = (static_cast<std::uint32_t>(i) + seed * 0x9e3779b9u) * 0x85ebca6bu;
            bits = (bits ^ bits >> 15) * 0xc2b2ae35u;
            bits ^= bits >> 13;
            memory_[i] = static_cast<T>(low + (high - low) * bits * 0x1p-32);
        }
    }
    /// Values that no result has.
    void poison() const {
        for (int64_t i = 0; i < n_; ++i) memory_[i] = std::numeric_limits<T>::quiet_NaN();
    }

private:
    struct free_memory {
        void operator()(T* p) const { std::free(p); }
    };
    static T* allocate(int64_t n) {
        constexpr std::size_t huge_page = std::size_t{2} << 20;
        const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(T), page = bytes < huge_page ? 4096 : huge_page;
        const std::size_t whole = (bytes / page + 1) * page;
        void* const memory = std::aligned_alloc(page, whole);
        if (!memory) throw std::bad_alloc();
        if (page == huge_page) madvise(memory, whole, MADV_HUGEPAGE);
        return static_cast<T*>(memory);
    }

    int64_t n_;
    std::unique_ptr<T[], free_memory> memory_;
};

/// Rows and columns of a matrix of n elements.
struct matrix_extents {
    int64_t rows, columns;
    explicit matrix_extents(int64_t n) : rows(n / (n < 1000 ? 8 : 1000)), columns(n / rows) {}
};

} // namespace bench

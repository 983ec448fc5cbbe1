// lib/walk.hpp -- stage 4: walking an iteration space: merging its axes, and handing inputs to kernels run by run.
//
// Kernels read inputs that are contiguous, repeated or generated (host/body.hpp). Here all other layouts become that:
// elements with another stride are packed into a buffer in the first cache, a run at a time, and the last elements of a run,
// fewer than a kernel's turn, are copied to where the lanes behind them may be read as well.
#pragma once

#include <cstring>
#include <memory>

#include <sinter/host/loop.hpp>

namespace sinter::detail {

/// Elements of one run where something must be packed. bench/layouts: 256 to 1024 are alike, 4096 is 1.2 times slower.
inline constexpr std::int64_t packed_run = 512;

/// What one input or result takes for a turn, at most: 4 packets of 64 bytes.
inline constexpr std::size_t turn_bytes = 256;

/// Memory for n values, on the stack when there are few.
template <class T, std::size_t Few = 8>
class short_array {
public:
    explicit short_array(std::size_t n) : many_(n > Few ? new T[n]() : nullptr) {}
    T* data() { return many_ ? many_.get() : few_; }
    T& operator[](std::size_t i) { return data()[i]; }

private:
    T few_[Few] = {};
    std::unique_ptr<T[]> many_;
};

/// Bytes without values, on the stack when there are few. What is read beyond what was written is not used.
template <std::size_t Few>
class scratch_memory {
public:
    explicit scratch_memory(std::size_t n) : many_(n > Few ? new char[n] : nullptr) {}
    char* data() { return many_ ? many_.get() : few_; }

private:
    alignas(64) char few_[Few];
    std::unique_ptr<char[]> many_;
};

struct iteration_space {
    int rank = 0;
    std::int64_t extent[max_rank] = {};
};

/// Drops axes of extent 1 and makes neighbouring axes one where all inputs and the result step through both evenly.
/// The strides of the inputs and of the result are changed with the axes.
iteration_space merge_axes(std::span<input_layout> inputs, extents shape, std::int64_t* to_strides);

/// The strides of a row-major result over the axes whose bit is not set; 0 along the others. Returns its number of elements.
std::int64_t kept_strides(extents shape, unsigned reduced, std::int64_t* to_strides);

/// Positions along some axes of a space, in row-major order.
class odometer {
public:
    odometer(std::span<const std::int64_t> extents) : extents_(extents) {}
    void seek(std::int64_t position) {
        for (std::size_t k = extents_.size(); k-- > 0;) {
            index_[k] = position % extents_[k];
            position /= extents_[k];
        }
    }
    void next() {
        for (std::size_t k = extents_.size(); k-- > 0;) {
            if (++index_[k] < extents_[k]) return;
            index_[k] = 0;
        }
    }
    /// Σ index · strides.
    std::int64_t offset(const std::int64_t* strides) const {
        std::int64_t r = 0;
        for (std::size_t k = 0; k < extents_.size(); ++k) r += index_[k] * strides[k];
        return r;
    }

private:
    std::span<const std::int64_t> extents_;
    std::int64_t index_[max_rank] = {};
};

/// n elements of `bytes` bytes, `stride` elements apart, to neighbouring places; and back.
void gather(int bytes, const void* from, std::int64_t stride, std::int64_t n, void* to);
void scatter(int bytes, const void* from, std::int64_t stride, std::int64_t n, void* to);

/// Hands a kernel its inputs over runs of elements along one axis.
class feed {
public:
    /// `exact`: the body calls a function that may see no element but those asked for.
    feed(std::span<const input_layout> inputs, int axis, int turn, bool exact);

    /// The run starts where input k is at offset(strides of input k) from its base.
    template <class Offset>
    void move_to(Offset offset) {
        for (std::size_t k = 0; k < inputs_.size(); ++k) start(k, offset(inputs_[k].strides));
    }

    /// Whether some input must be packed.
    bool packs() const { return packs_; }

    /// Calls f(inputs, at, n, padded) for consecutive parts of the run's elements [from, to). Either n is a multiple of the
    /// turn, or `padded` says that it is less, and that inputs may be read up to a whole turn.
    template <class F>
    void run(std::int64_t from, std::int64_t to, std::int64_t longest, F&& f) {
        if (packs_) longest = std::min(longest, packed_run);
        longest = std::max<std::int64_t>(longest / turn_ * turn_, turn_);
        while (to - from >= turn_) {
            const std::int64_t n = std::min(longest, (to - from) / turn_ * turn_);
            f(whole(from, n), from, n, false);
            from += n;
        }
        if (from == to) return;
        if (!exact_) {
            f(rest(from, to - from, false), from, to - from, true);
        } else {
            for (; from < to; ++from) f(rest(from, 1, true), from, std::int64_t{1}, true);
        }
    }

private:
    enum class how : std::uint8_t { direct, repeated, packed, generated };
    struct source {
        const void* first = nullptr; // or a position
        std::int64_t stride = 0;
        how read = how::direct;
    };
    void start(std::size_t k, std::int64_t offset);
    inputs whole(std::int64_t from, std::int64_t n);
    inputs rest(std::int64_t from, std::int64_t n, bool repeat);
    char* scratch(std::size_t k) { return scratch_.data() + k * scratch_bytes(); }
    std::size_t scratch_bytes() const { return packs_ ? packed_run * sizeof(std::int64_t) : turn_bytes; }
    static bool any_packed(std::span<const input_layout> inputs, int axis);

    std::span<const input_layout> inputs_;
    std::int64_t turn_;
    bool exact_;
    bool packs_;
    short_array<source> sources_;
    short_array<const void*> pointers_;
    short_array<std::int64_t> steps_;
    scratch_memory<16384> scratch_;
};

/// Work of less than this runs on the calling thread. bench/threads: a TBB task costs about 300 ns; from 10 µs on that is
/// noise.
inline constexpr double serial_nanoseconds = 20'000;

/// Runs body(first, last) over parts of [0, n), on the threads of the caller's arena when there is enough to do.
/// `nanoseconds` is the rough cost of one of the n.
void for_parts(std::int64_t n, double nanoseconds, void (*run)(const void* body, std::int64_t first, std::int64_t last),
               const void* body);
template <class Body>
void for_parts(std::int64_t n, double nanoseconds, const Body& body) {
    for_parts(
        n, nanoseconds,
        [](const void* b, std::int64_t first, std::int64_t last) { (*static_cast<const Body*>(b))(first, last); }, &body);
}

/// The part of the second-level cache that one thread can count on, in bytes.
std::int64_t cache_bytes();

} // namespace sinter::detail

// jit/kernel.hpp -- stage 5: kernels on a device: loaded once, found again by what they are for, launched.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include <sinter/fuse/emit.hpp>

#include "../lib/walk.hpp"
#include "compile.hpp"
#include "device.hpp"

namespace sinter::detail::jit {

struct loaded_kernel {
    cu_function function = nullptr;
    std::string name, source;
    kernel_resources resources;
};

/// The kernel of a source on a device: compiled and loaded at the first call. Throws compile_error, device_error.
const loaded_kernel& load_kernel(int device, const std::string& name, const std::string& source);

/// Small texts of bytes, compared often and allocated seldom.
class byte_list {
public:
    void push_back(std::uint8_t b) {
        if (size_ < few) few_[size_] = b;
        else more_.push_back(b);
        ++size_;
    }
    std::uint8_t operator[](std::size_t k) const { return k < few ? few_[k] : more_[k - few]; }
    friend bool operator==(const byte_list& a, const byte_list& b) {
        return a.size_ == b.size_ && std::memcmp(a.few_.data(), b.few_.data(), std::min(a.size_, few)) == 0 && a.more_ == b.more_;
    }

private:
    static constexpr std::size_t few = 128;
    std::size_t size_ = 0;
    std::array<std::uint8_t, few> few_;
    std::vector<std::uint8_t> more_;
};

/// How an input, or the result, steps along an axis. Only `strided` has a stride as argument of the kernel.
enum class step : std::uint8_t {
    none,      // it is repeated
    unit,      // to the neighbouring element
    unaligned, // the same along the innermost axis, but vectors of elements are not aligned
    strided,
};

/// All that the source of an elementwise or reduction kernel depends on beside the graph.
struct kernel_form {
    std::uint8_t rank = 1;      // of the iteration space; of a reduction: its kept axes
    std::uint8_t reduced = 0;   // reduced axes, behind the kept ones
    std::uint8_t vector = 1;    // elements that a thread reads by one access
    std::uint8_t unroll = 1;    // such groups that it has in flight
    std::uint8_t tile_axis = 0; // plus 1: the axis that is turned in shared memory
    std::uint8_t threads = 0;   // of a reduction that work on one output, less 1
    bool wide = false;          // 64-bit indices
    bool aliased = false;       // the result lies in the memory of an input
    bool in_memory = false;     // arguments are passed in memory, because there are too many
    bool by_columns = false;    // neighbouring threads work on neighbouring outputs
    bool partial = false;       // a reduction's accumulators are stored, for a later kernel to reduce
    bool of_partial = false;    // they are what is reduced
    byte_list steps;            // of the result, then of each input that is read: one for each axis

    int axes() const { return rank + reduced; }
    step step_of(int array, int axis) const { return static_cast<step>(steps[static_cast<std::size_t>(array * axes() + axis)]); }
    friend bool operator==(const kernel_form&, const kernel_form&) = default;
};

/// What is known of a body, for planning its kernels, and those kernels.
class emitted_body {
public:
    emitted_body(kernel_source& source, const void* body);
    /// Of accumulators of a type, to be reduced further.
    explicit emitted_body(dtype accumulator);
    ~emitted_body();

    graph values;
    std::vector<int> slots; // the inputs that are read
    std::atomic<int> most_unroll = 2, most_vector = 16; // lowered when a kernel spills

    /// The kernel for a form on a device; made by `generate` when there is none.
    template <class Generate>
    const loaded_kernel& find(int device, const kernel_form& form, const Generate& generate) {
        for (const variant* v = variants_.load(std::memory_order_acquire); v; v = v->next)
            if (v->device == device && v->form == form) return *v->kernel;
        return add(device, form, generate());
    }

private:
    struct variant {
        int device;
        kernel_form form;
        const loaded_kernel* kernel;
        const variant* next;
    };
    const loaded_kernel& add(int device, const kernel_form& form, const std::pair<std::string, std::string>& named_source);
    std::atomic<const variant*> variants_{nullptr};
};

/// The one for all runs of the body; of a body with state, one for this run.
std::shared_ptr<emitted_body> emitted(kernel_source& source, const void* body);

/// The arguments of a kernel: 8 bytes each.
class argument_list {
public:
    explicit argument_list(std::size_t most) : cells_(most), pointers_(most) {}
    void add(const void* pointer) { add(static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(pointer))); }
    void add(std::int64_t number) { add(static_cast<std::uint64_t>(number)); }
    void add(std::uint64_t bits) {
        pointers_[count_] = &cells_[count_];
        cells_[count_++] = bits;
    }
    /// Room for n, which the caller fills.
    std::uint64_t* reserve(int n) {
        std::uint64_t* const first = &cells_[count_];
        for (int k = 0; k < n; ++k) add(std::uint64_t{0});
        return first;
    }
    std::size_t bytes() const { return count_ * sizeof(std::uint64_t); }
    void** pointers() { return pointers_.data(); }
    const std::uint64_t* cells() { return cells_.data(); }

private:
    static constexpr std::size_t few = 48;
    short_array<std::uint64_t, few> cells_;
    short_array<void*, few> pointers_;
    std::size_t count_ = 0;
};

/// Bytes of arguments that a launch takes at most; more are passed in memory.
inline constexpr std::size_t most_argument_bytes = 4096;

struct launch_size {
    std::int64_t blocks = 1;
    unsigned threads_x = 256, threads_y = 1;
};

/// Enqueues the kernel. Throws device_error with its name.
void launch(const loaded_kernel& kernel, stream_slot& s, const launch_size& size, argument_list& arguments, bool in_memory);

} // namespace sinter::detail::jit

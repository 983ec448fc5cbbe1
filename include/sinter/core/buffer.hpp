// sinter/core/buffer.hpp -- counted memory that tensors share until one of them writes.
#pragma once

#include <sys/single_threaded.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

namespace sinter {

/// Bytes that the pool may keep for reuse, beyond those in use. Default: an eighth of the machine's memory.
void set_pool_limit(std::size_t bytes);

/// Gives the memory that the pool keeps for reuse back to the system.
void trim_pool();

namespace detail {

/// Memory with a count of its owners. `data` is aligned to 64 bytes, unless the user gave the memory.
struct block {
    std::atomic<std::int64_t> owners{1};
    void* data = nullptr;
    std::size_t bytes = 0;
    int size_class = -1;            // the pool's class; -1: not the pool's
    std::function<void(void*)> user_deleter; // for memory that the user gave
};

/// From the pool, uninitialised. Throws out_of_memory.
block* allocate(std::size_t bytes);
block* adopt(void* data, std::size_t bytes, std::function<void(void*)> deleter);
void release(block* unowned);

/// Counts one owner more. Without other threads that needs no locked instruction, which takes 5 ns.
inline void share(block& b) noexcept {
    if (__libc_single_threaded)
        b.owners.store(b.owners.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    else
        b.owners.fetch_add(1, std::memory_order_relaxed);
}
/// Counts one owner less; true when that was the last.
inline bool unshare(block& b) noexcept {
    if (__libc_single_threaded) {
        const auto left = b.owners.load(std::memory_order_relaxed) - 1;
        b.owners.store(left, std::memory_order_relaxed);
        return left == 0;
    }
    return b.owners.fetch_sub(1, std::memory_order_acq_rel) == 1;
}

/// One share of a block.
class buffer {
public:
    buffer() = default;
    explicit buffer(std::size_t bytes) : block_(allocate(bytes)) {}
    buffer(void* data, std::size_t bytes, std::function<void(void*)> deleter)
        : block_(adopt(data, bytes, std::move(deleter))) {}
    buffer(const buffer& other) noexcept : block_(other.block_) {
        if (block_) share(*block_);
    }
    buffer(buffer&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
    buffer& operator=(buffer other) noexcept {
        std::swap(block_, other.block_);
        return *this;
    }
    ~buffer() {
        if (block_ && unshare(*block_)) release(block_);
    }

    void* data() const noexcept { return block_ ? block_->data : nullptr; }
    std::size_t bytes() const noexcept { return block_ ? block_->bytes : 0; }
    std::int64_t owners() const noexcept { return block_ ? block_->owners.load(std::memory_order_acquire) : 0; }
    friend bool operator==(const buffer&, const buffer&) = default;

private:
    block* block_ = nullptr;
};

} // namespace detail
} // namespace sinter

// lib/pool.cpp -- the memory of tensors: kept for reuse, because fresh pages cost more than most kernels.
//
// A block is one allocation: its header, then the data, aligned to 64 bytes. Sizes are rounded up to classes, four to
// each power of two. Small blocks are kept by the thread that frees them, without a lock; large ones are kept in one
// place for all threads, up to a limit, and advised to be huge pages.

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <mutex>
#include <new>
#include <vector>

#include <sinter/core/buffer.hpp>
#include <sinter/core/error.hpp>

namespace sinter {
namespace detail {
namespace {

constexpr std::size_t alignment = 64;
constexpr std::size_t huge_page = std::size_t{2} << 20;
static_assert(sizeof(block) <= alignment);

#if defined(__SANITIZE_ADDRESS__)
constexpr bool keep_blocks = false; // so that every use after release is seen
#elif defined(__has_feature)
#    if __has_feature(address_sanitizer)
constexpr bool keep_blocks = false;
#    else
constexpr bool keep_blocks = true;
#    endif
#else
constexpr bool keep_blocks = true;
#endif

// Class 4k + q holds 64·2^k·(1 + q/4) bytes.
constexpr int class_of(std::size_t bytes) {
    const std::size_t units = std::max<std::size_t>((bytes + 15) / 16, 4); // 4 units: 64 bytes
    const int log2 = std::bit_width(units) - 1;
    const std::size_t quarter = std::size_t{1} << (log2 - 2);
    const auto q = static_cast<int>((units - (std::size_t{1} << log2) + quarter - 1) / quarter);
    return 4 * (log2 - 2) + q;
}
constexpr std::size_t class_bytes(int size_class) {
    return (std::size_t{16} << (size_class / 4)) * static_cast<std::size_t>(4 + size_class % 4);
}
constexpr int small_classes = class_of(64 << 10) + 1;
constexpr std::size_t small_kept = 32; // blocks of each class that a thread keeps
constexpr int all_classes = 4 * 58;

block* system_allocate(int size_class) {
    const std::size_t bytes = class_bytes(size_class) + alignment;
    const bool huge = bytes >= 2 * huge_page;
    const std::size_t align = huge ? huge_page : alignment;
    void* const memory = std::aligned_alloc(align, (bytes + align - 1) / align * align);
    if (!memory) return nullptr;
    if (huge) madvise(memory, bytes, MADV_HUGEPAGE);
    return new (memory) block;
}

void system_free(block* b) {
    b->~block();
    std::free(b);
}

/// Blocks of up to 64 KiB that this thread released.
struct thread_pool {
    std::vector<block*> kept[small_classes];
    static inline thread_local bool ended = false;

    ~thread_pool() {
        ended = true;
        clear();
    }
    void clear() {
        for (auto& list : kept) {
            for (block* b : list) system_free(b);
            list.clear();
        }
    }
};
thread_pool& this_thread() {
    static thread_local thread_pool pool;
    return pool;
}

std::size_t default_limit() {
    return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) / 8;
}

/// Larger blocks, of all threads.
struct shared_pool {
    std::mutex mutex;
    std::vector<block*> kept[all_classes];
    std::size_t bytes = 0;
    std::size_t limit = default_limit();

    block* take(int size_class) {
        const std::lock_guard lock(mutex);
        auto& list = kept[size_class];
        if (list.empty()) return nullptr;
        block* const b = list.back();
        list.pop_back();
        bytes -= class_bytes(size_class);
        return b;
    }
    bool put(block* b) {
        const std::lock_guard lock(mutex);
        const std::size_t size = class_bytes(b->size_class);
        if (bytes + size > limit) return false;
        kept[b->size_class].push_back(b);
        bytes += size;
        return true;
    }
    void shrink(std::size_t to) {
        const std::lock_guard lock(mutex);
        for (int c = all_classes; c-- > 0 && bytes > to;) {
            while (!kept[c].empty() && bytes > to) {
                system_free(kept[c].back());
                kept[c].pop_back();
                bytes -= class_bytes(c);
            }
        }
    }
};
shared_pool& all_threads() {
    static auto* const pool = new shared_pool; // never destroyed: tensors with static lifetime outlive everything
    return *pool;
}

} // namespace

block* allocate(std::size_t bytes) {
    if (bytes > std::size_t{1} << 60) throw out_of_memory("a tensor of " + std::to_string(bytes) + " bytes");
    const int size_class = class_of(bytes);
    block* b = nullptr;
    if (keep_blocks) {
        if (size_class >= small_classes) {
            b = all_threads().take(size_class);
        } else if (!thread_pool::ended) {
            auto& list = this_thread().kept[size_class];
            if (!list.empty()) {
                b = list.back();
                list.pop_back();
            }
        }
    }
    if (!b) b = system_allocate(size_class);
    if (!b) {
        trim_pool();
        b = system_allocate(size_class);
    }
    if (!b) throw out_of_memory("a tensor of " + std::to_string(bytes) + " bytes does not fit into memory");
    b->owners.store(1, std::memory_order_relaxed);
    b->data = reinterpret_cast<char*>(b) + alignment;
    b->bytes = bytes;
    b->size_class = size_class;
    return b;
}

block* adopt(void* data, std::size_t bytes, std::function<void(void*)> deleter) {
    auto* const b = new block;
    b->data = data;
    b->bytes = bytes;
    b->user_deleter = std::move(deleter);
    return b;
}

void release(block* b) {
    if (b->size_class < 0) {
        if (b->user_deleter) b->user_deleter(b->data);
        delete b;
        return;
    }
    if (keep_blocks) {
        if (b->size_class >= small_classes) {
            if (all_threads().put(b)) return;
        } else if (!thread_pool::ended) {
            auto& list = this_thread().kept[b->size_class];
            if (list.size() < small_kept) {
                list.push_back(b);
                return;
            }
        }
    }
    system_free(b);
}

} // namespace detail

void set_pool_limit(std::size_t bytes) {
    auto& pool = detail::all_threads();
    {
        const std::lock_guard lock(pool.mutex);
        pool.limit = bytes;
    }
    pool.shrink(bytes);
}

void trim_pool() {
    detail::all_threads().shrink(0);
    if (!detail::thread_pool::ended) detail::this_thread().clear();
}

} // namespace sinter

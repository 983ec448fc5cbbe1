// jit/emulator/arena.cpp -- the memory of an emulated device: pages with guards around them, keys, poison and canaries.

#include "arena.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

#include "sanitizer.hpp"

#if !defined(SINTER_EMULATOR_ASAN)
    #define ASAN_POISON_MEMORY_REGION(address, bytes) ((void)(address), (void)(bytes))
    #define ASAN_UNPOISON_MEMORY_REGION(address, bytes) ((void)(address), (void)(bytes))
#endif

namespace sinter::detail::jit::emulator {
namespace {

constexpr std::size_t guard_bytes = 256 << 10;
constexpr std::size_t poison_file_bytes = 4 << 20;
constexpr std::size_t greatest_history = 1 << 16;

std::size_t round_up(std::size_t value, std::size_t to) {
    return (value + to - 1) / to * to;
}

void* pointer(cu_address address) {
    return reinterpret_cast<void*>(address);
}

// Not memset: the bytes around an allocation are forbidden ground under the address sanitizer.
[[gnu::no_sanitize_address, gnu::noinline]] void fill(cu_address begin, cu_address end, unsigned char value) {
    for (auto* p = static_cast<volatile unsigned char*>(pointer(begin)); p != pointer(end); ++p) *p = value;
}

[[gnu::no_sanitize_address, gnu::noinline]] cu_address first_other(cu_address begin, cu_address end, unsigned char value) {
    for (; begin < end && begin % 8 != 0; ++begin)
        if (*static_cast<volatile unsigned char*>(pointer(begin)) != value) return begin;
    const unsigned long long pattern = 0x0101010101010101ull * value;
    while (begin + 8 <= end && *static_cast<volatile unsigned long long*>(pointer(begin)) == pattern) begin += 8;
    for (; begin < end; ++begin)
        if (*static_cast<volatile unsigned char*>(pointer(begin)) != value) return begin;
    return 0;
}

/// A file of poison. Large allocations map it again and again, so that they cost no memory before they are written.
int poison_file() {
    static const int file = [] {
        const int r = memfd_create("sinter emulator poison", MFD_CLOEXEC);
        if (r < 0 || ftruncate(r, poison_file_bytes) != 0) return -1;
        void* const p = mmap(nullptr, poison_file_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, r, 0);
        if (p == MAP_FAILED) return -1;
        std::memset(p, poison, poison_file_bytes);
        munmap(p, poison_file_bytes);
        return r;
    }();
    return file;
}

bool wants_keys() {
    const char* const text = std::getenv("SINTER_EMULATOR_KEYS");
    return !text || std::strcmp(text, "0") != 0;
}

std::string count_bytes(unsigned long long n) {
    return std::to_string(n) + (n == 1 ? " byte" : " bytes");
}

} // namespace

arena::arena(int device, std::size_t bytes) {
    // Far from the program's own memory, so that an address tells whose it is.
    const std::size_t size = std::max<std::size_t>(std::size_t{1} << 40, round_up(bytes, page_bytes) * 16);
    const auto wish = 0x200000000000u + static_cast<cu_address>(device) * 0x040000000000u;
    for (std::size_t tried = size; tried >= bytes && begin_ == 0; tried /= 2) {
        void* const p = mmap(pointer(wish), tried, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p == MAP_FAILED) continue;
        begin_ = next_ = reinterpret_cast<cu_address>(p);
        end_ = begin_ + tried;
    }
    if (wants_keys()) key_ = pkey_alloc(0, PKEY_DISABLE_ACCESS);
}

allocation* arena::reserve(std::size_t bytes) {
    const std::size_t own = round_up(bytes, allocation_alignment), pages_bytes = round_up(own, page_bytes);
    if (bytes > end_ - begin_ || pages_bytes + 2 * guard_bytes > end_ - begin_) return nullptr;
    // Around the arena, over those that live, once.
    for (bool is_second = false;;) {
        if (next_ + pages_bytes + 2 * guard_bytes > end_) {
            if (is_second) return nullptr;
            is_second = true;
            next_ = begin_;
        }
        const cu_address pages = next_ + guard_bytes, past = pages + pages_bytes + guard_bytes;
        auto a = allocations_.lower_bound(next_);
        if (a != allocations_.begin() && std::prev(a)->second.pages + std::prev(a)->second.pages_bytes > next_) --a;
        while (a != allocations_.end() && a->second.pages < past && a->second.now == allocation::state::freed) forget(a++);
        if (a != allocations_.end() && a->second.pages < past) {
            next_ = a->second.pages + a->second.pages_bytes;
            continue;
        }
        allocation r;
        r.bytes = bytes;
        r.pages = pages;
        r.pages_bytes = pages_bytes;
        r.begin = pages + pages_bytes - own;
        next_ = pages + pages_bytes;
        return &(allocations_[pages] = r);
    }
}

void arena::forget(std::map<cu_address, allocation>::iterator a) {
    allocations_.erase(a); // its entry in freed_ is skipped later
}

void arena::protect(cu_address begin, std::size_t bytes, bool is_open) const {
    if (key_ >= 0)
        pkey_mprotect(pointer(begin), bytes, PROT_READ | PROT_WRITE, key_);
    else
        mprotect(pointer(begin), bytes, is_open ? PROT_READ | PROT_WRITE : PROT_NONE);
}

void arena::make(allocation& a) {
    const bool was_open = is_open_;
    const bool is_mapped = a.pages_bytes >= 2 * poison_file_bytes && poison_file() >= 0;
    for (std::size_t done = 0; is_mapped && done < a.pages_bytes; done += poison_file_bytes)
        mmap(pointer(a.pages + done), std::min(poison_file_bytes, a.pages_bytes - done), PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, poison_file(), 0);
    protect(a.pages, a.pages_bytes, true);
    a.now = allocation::state::live;
    open();
    if (!is_mapped) std::memset(pointer(a.begin), poison, a.bytes);
    repair(a);
    if (!was_open) close();
    ASAN_POISON_MEMORY_REGION(pointer(a.pages), a.begin - a.pages);
    ASAN_POISON_MEMORY_REGION(pointer(a.begin + a.bytes), a.pages + a.pages_bytes - a.begin - a.bytes);
}

void arena::release(allocation& a) {
    if (a.now == allocation::state::live) {
        ASAN_UNPOISON_MEMORY_REGION(pointer(a.pages), a.pages_bytes);
        mmap(pointer(a.pages), a.pages_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    }
    a.now = allocation::state::freed;
    freed_.push_back(a.pages);
    while (freed_.size() > greatest_history) {
        const auto oldest = allocations_.find(freed_.front());
        freed_.pop_front();
        if (oldest != allocations_.end() && oldest->second.now == allocation::state::freed) forget(oldest);
    }
}

allocation* arena::find(cu_address begin) {
    const auto a = allocations_.upper_bound(begin);
    if (a == allocations_.begin()) return nullptr;
    allocation& r = std::prev(a)->second;
    return r.begin == begin ? &r : nullptr;
}

const allocation* arena::at(cu_address address) const {
    const auto a = allocations_.upper_bound(address);
    if (a == allocations_.begin()) return nullptr;
    const allocation& r = std::prev(a)->second;
    return address < r.pages + r.pages_bytes ? &r : nullptr;
}

std::string arena::describe(cu_address address) const {
    const auto after = allocations_.upper_bound(address);
    const auto name = [](const allocation& a) {
        const char* const state = a.now == allocation::state::freed ? "freed memory, once an allocation of "
                                  : a.now == allocation::state::live ? "an allocation of "
                                                                     : "memory that its stream has not allocated yet, an allocation of ";
        return state + count_bytes(a.bytes);
    };
    std::string r = "no allocation is near";
    unsigned long long distance = ~0ull;
    if (after != allocations_.begin()) {
        const allocation& a = std::prev(after)->second;
        if (address >= a.begin && address < a.begin + a.bytes)
            return "byte " + std::to_string(address - a.begin) + " of " + name(a);
        if (address < a.begin) return count_bytes(a.begin - address) + " before " + name(a);
        distance = address - (a.begin + a.bytes);
        r = count_bytes(distance) + " after " + name(a);
    }
    if (after != allocations_.end() && after->second.begin - address < distance)
        r = count_bytes(after->second.begin - address) + " before " + name(after->second);
    return r;
}

cu_address arena::damage(const allocation& a) const {
    if (a.now != allocation::state::live) return 0;
    const cu_address before = first_other(a.pages, a.begin, canary);
    return before ? before : first_other(a.begin + a.bytes, a.pages + a.pages_bytes, canary);
}

void arena::repair(const allocation& a) {
    fill(a.pages, a.begin, canary);
    fill(a.begin + a.bytes, a.pages + a.pages_bytes, canary);
}

void arena::open() {
    if (key_ >= 0) {
        pkey_set(key_, 0);
    } else if (!is_open_) {
        for (const auto& [pages, a] : allocations_)
            if (a.now == allocation::state::live) protect(a.pages, a.pages_bytes, true);
    }
    is_open_ = true;
}

void arena::close() {
    if (key_ >= 0) {
        pkey_set(key_, PKEY_DISABLE_ACCESS);
    } else if (is_open_) {
        for (const auto& [pages, a] : allocations_)
            if (a.now == allocation::state::live) protect(a.pages, a.pages_bytes, false);
    }
    is_open_ = false;
}

} // namespace sinter::detail::jit::emulator

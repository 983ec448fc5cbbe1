// jit/emulator/arena.hpp -- the memory of an emulated device: addresses that only the emulator's own work can reach.
//
// An arena is a range of addresses, reserved once. Every allocation has pages of its own, ends at the end of its last page as
// far as its alignment permits, and has unreachable addresses around it; the bytes of its pages that are not its own hold a
// pattern that is checked. Fresh memory holds another pattern. Freed addresses stay unreachable, until the arena was used up once.
#pragma once

#include <deque>
#include <map>
#include <string>

#include "../driver.hpp"

namespace sinter::detail::jit::emulator {

inline constexpr std::size_t page_bytes = 4096;
inline constexpr std::size_t allocation_alignment = 256;
inline constexpr unsigned char poison = 0xcb; // of memory that nobody has written: 1e15 or so as a float, negative as an int
inline constexpr unsigned char canary = 0xc5; // of the bytes around an allocation

struct allocation {
    enum class state { reserved, live, freed };

    cu_address begin = 0; // what the program has
    std::size_t bytes = 0;
    cu_address pages = 0;
    std::size_t pages_bytes = 0;
    state now = state::reserved;
    bool is_free_pending = false; // the program has freed it, its stream not yet
    void* owner = nullptr;        // a context
};

class arena {
public:
    arena(int device, std::size_t bytes);

    bool contains(cu_address address) const { return address >= begin_ && address < end_; }
    cu_address begin() const { return begin_; }
    cu_address end() const { return end_; }

    /// Addresses for an allocation; null when none are left.
    allocation* reserve(std::size_t bytes);
    /// Puts poisoned memory there.
    void make(allocation& a);
    /// Takes the memory away. The record stays, for messages.
    void release(allocation& a);

    /// The allocation that begins there, or null.
    allocation* find(cu_address begin);
    /// The allocation that has the address on one of its pages, or null.
    const allocation* at(cu_address address) const;
    /// What is there, in words: "8 bytes after an allocation of 400 bytes".
    std::string describe(cu_address address) const;
    /// The first byte beside the allocation that was written, or 0.
    cu_address damage(const allocation& a) const;
    /// Writes the pattern around it again.
    void repair(const allocation& a);

    std::map<cu_address, allocation>& allocations() { return allocations_; }

    /// Lets the calling thread, or where the processor has no protection keys the process, read and write what is live.
    void open();
    void close();

private:
    void protect(cu_address begin, std::size_t bytes, bool is_open) const;
    void forget(std::map<cu_address, allocation>::iterator a);

    cu_address begin_ = 0, end_ = 0, next_ = 0;
    int key_ = -1; // of memory protection; -1: pages are switched one by one
    bool is_open_ = false;
    std::map<cu_address, allocation> allocations_; // by first page
    std::deque<cu_address> freed_;                 // oldest first
};

} // namespace sinter::detail::jit::emulator

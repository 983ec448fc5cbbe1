// jit/emulator/image.hpp -- what the emulated NVRTC hands to the emulated driver: a checked shared object and its table of kernels.
//
// An image ("CUBIN") is an image_header and then the bytes of a shared object, which exports one symbol, a kernel_table.
// kernel_state and kernel_table are declared a second time in kernel_header.cpp, for the kernels: change both, and the version.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace sinter::detail::jit::emulator {

inline constexpr unsigned image_version = 1;
inline constexpr char image_magic[16] = "sinter emulated";

struct image_header {
    char magic[16];
    std::uint64_t version;
    std::uint64_t bytes;    // of the shared object, which follows
    std::uint64_t checksum; // of the shared object
    std::uint64_t header_checksum;
};

/// FNV-1a over 8 bytes at a time: damage is to be noticed, not an adversary.
inline std::uint64_t checksum(const void* data, std::size_t bytes) {
    const auto* p = static_cast<const unsigned char*>(data);
    std::uint64_t r = 0xcbf29ce484222325u;
    for (; bytes >= 8; bytes -= 8, p += 8) {
        std::uint64_t word;
        std::memcpy(&word, p, 8);
        r = (r ^ word) * 0x100000001b3u;
        r ^= r >> 32;
    }
    for (; bytes > 0; --bytes, ++p) r = (r ^ *p) * 0x100000001b3u;
    return r;
}

struct index3 {
    unsigned x, y, z;
};

enum collective : unsigned { exchange_lanes = 1, vote_ballot = 2, wait_warp = 3 };

/// Where a running kernel finds its place in the grid, and how it reaches the threads beside it. One for each shared object.
struct kernel_state {
    index3 thread, block, block_extent, grid_extent;
    unsigned char* dynamic_shared;
    void (*wait_block)();
    /// What the lane `source` gave, or the ballot, once every lane of the mask has called it with the same kind and mask.
    unsigned long long (*wait_lanes)(unsigned kind, unsigned mask, unsigned long long bits, unsigned source);
    void (*trap)();
};

struct kernel_entry {
    const char* name;
    /// Runs the threads [begin, end) of the block that the state describes, one after another.
    void (*run)(void** parameters, unsigned begin, unsigned end);
    const unsigned* parameter_bytes;     // ends with 0
    const unsigned char* parameter_kinds; // 1: a pointer
    unsigned greatest_block;             // of __launch_bounds__; 0: none
    unsigned is_collective;              // has barriers or shuffles, so each thread needs a stack of its own
};

struct kernel_table {
    unsigned version;
    unsigned kernel_count;
    kernel_state* state;
    unsigned char *shared_begin, *shared_end; // all __shared__ variables; null: none
    const kernel_entry* kernels;
};

inline constexpr char kernel_table_name[] = "sinter_emulator_kernels";

} // namespace sinter::detail::jit::emulator

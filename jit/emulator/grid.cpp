// jit/emulator/grid.cpp -- one launch: its blocks in a shuffled order, shared memory poisoned before each.

#include <cstring>
#include <numeric>
#include <sys/mman.h>

#include "fault.hpp"
#include "fiber.hpp"
#include "state.hpp"

namespace sinter::detail::jit::emulator {
namespace {

constexpr std::size_t dynamic_bytes = 64 << 10;

/// Memory that ends at a page that cannot be reached.
unsigned char* dynamic_end() {
    static unsigned char* const end = [] {
        auto* const p = static_cast<unsigned char*>(mmap(nullptr, dynamic_bytes + 2 * page_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        mprotect(p + page_bytes, dynamic_bytes, PROT_READ | PROT_WRITE);
        return p + page_bytes + dynamic_bytes;
    }();
    return end;
}

struct running_grid {
    const kernel_entry* entry;
    const kernel_table* table;
    kernel_state* state;
    void** parameters;
    index3 grid;
    unsigned threads, shared_bytes;
    unsigned long long factor, offset, reversals; // of the order
};

/// Number k of the shuffled order is (factor * k + offset) mod n, with a factor that shares no divisor with n.
void run_blocks(const running_grid& g) {
    using wide = unsigned __int128;
    const wide blocks = static_cast<wide>(g.grid.x) * g.grid.y * g.grid.z;
    const auto shared = static_cast<std::size_t>(g.table->shared_end - g.table->shared_begin);
    for (wide k = 0; k < blocks; ++k) {
        const auto b = static_cast<unsigned long long>((g.factor * k + g.offset) % blocks);
        g.state->block = {static_cast<unsigned>(b % g.grid.x), static_cast<unsigned>(b / g.grid.x % g.grid.y),
                          static_cast<unsigned>(b / g.grid.x / g.grid.y)};
        if (shared > 0) std::memset(g.table->shared_begin, poison, shared);
        if (g.shared_bytes > 0) std::memset(dynamic_end() - g.shared_bytes, poison, g.shared_bytes);
        if (g.entry->is_collective)
            run_fibers(*g.entry, *g.state, g.parameters, g.threads, g.reversals >> (k % 64) & 1);
        else
            g.entry->run(g.parameters, 0, g.threads);
    }
}

bool are_pointers_on_device(context& c, const launch& l, void* const* parameters, const std::string& name) {
    driver_state& e = driver_state::instance();
    for (std::size_t k = 0; k < l.offsets.size(); ++k) {
        if (l.what.entry->parameter_kinds[k] != 1) continue;
        cu_address address = 0;
        std::memcpy(&address, parameters[k], sizeof(address));
        if (address == 0 || e.device_of(address)) continue;
        bool is_pinned = false;
        for (const auto& [begin, p] : e.pinned_memory) is_pinned = is_pinned || (p.is_live && address >= begin && address < begin + p.bytes);
        if (is_pinned) continue;
        fail(c, cu_illegal_address, name, "its parameter " + std::to_string(k) + " is a pointer to memory of the host");
        return false;
    }
    return true;
}

} // namespace

void run_launch(context& c, launch& l) {
    driver_state& e = driver_state::instance();
    const std::string name = std::string("kernel ") + l.what.entry->name;
    auto* const storage = reinterpret_cast<unsigned char*>(l.storage.data());
    std::vector<void*> parameters;
    for (const std::size_t offset : l.offsets) parameters.push_back(storage + offset);
    if (!are_pointers_on_device(c, l, parameters.data(), name)) return;
    // What the kernel can reach: every word of its parameters that is an address.
    std::vector<cu_address> addresses;
    for (std::size_t k = 0; k + sizeof(cu_address) <= l.storage.size() * sizeof(std::max_align_t); k += sizeof(cu_address)) {
        cu_address address = 0;
        std::memcpy(&address, storage + k, sizeof(address));
        if (c.on->memory->contains(address)) addresses.push_back(address);
    }
    running_grid g{};
    g.entry = l.what.entry;
    g.table = l.what.from->table;
    g.state = g.table->state;
    g.parameters = parameters.data();
    g.grid = l.grid;
    g.threads = l.block.x * l.block.y * l.block.z;
    g.shared_bytes = (l.shared_bytes + 15) / 16 * 16;
    const unsigned long long blocks = 1ull * l.grid.x * l.grid.y * l.grid.z; // below 2^63, within the limits
    g.offset = e.random() % blocks;
    do g.factor = e.random() % blocks + 1;
    while (std::gcd(g.factor, blocks) != 1);
    g.reversals = e.random();
    g.state->block_extent = l.block;
    g.state->grid_extent = l.grid;
    g.state->dynamic_shared = dynamic_end() - g.shared_bytes;
    work_on(c, name, {c.on}, addresses, [&] { run_blocks(g); }, g.state);
}

} // namespace sinter::detail::jit::emulator

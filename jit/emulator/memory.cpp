// jit/emulator/memory.cpp -- entry points of the emulated driver: memory of devices, pinned memory, copies.
//
// All of it waits in streams: an allocation is there, and freed memory gone, when its stream gets there. Copies from pageable
// memory take their bytes at the call, as they are staged; copies to the host, and from pinned memory, happen later.

#include <algorithm>
#include <cstring>
#include <sys/mman.h>

#include "fault.hpp"
#include "state.hpp"

namespace sinter::detail::jit {

using namespace emulator;

namespace {

constexpr std::size_t greatest_pinned_history = 1024;

void* pointer(cu_address address) {
    return reinterpret_cast<void*>(address);
}

/// The pinned block that holds all of the memory, or null.
pinned* find_pinned(driver_state& e, const void* memory, std::size_t bytes) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory);
    const auto p = e.pinned_memory.upper_bound(address);
    if (p == e.pinned_memory.begin()) return nullptr;
    const auto& [begin, block] = *std::prev(p);
    return address - begin <= block.bytes && bytes <= block.bytes - (address - begin) ? &std::prev(p)->second : nullptr;
}

/// Whether an address is, or was, memory of some device. Whether it is at its time the stream sees.
bool is_known(driver_state& e, cu_address address) {
    const device* const d = e.device_of(address);
    return d && d->memory->at(address);
}

bool has_room(const driver_state& e, const device& d, std::size_t bytes) {
    return bytes <= e.memory_bytes && d.used <= e.memory_bytes - bytes;
}

void release(context& c, device& d, cu_address address) {
    allocation* const a = d.memory->find(address);
    if (!a) return;
    d.memory->open();
    const cu_address damaged = d.memory->damage(*a);
    const std::string text = damaged ? d.memory->describe(damaged) : "";
    d.memory->close();
    if (damaged) fail(c, cu_illegal_address, "cuMemFreeAsync", "something wrote " + text);
    d.used -= a->bytes;
    d.memory->release(*a);
}

/// A copy between the host and device memory: its other end must be there still.
void copy_host(context& c, const std::string& name, cu_address on_device, void* on_host, std::size_t bytes, bool to_host, bool is_pinned) {
    if (!check_range(c, name, *c.on, on_device, bytes)) return;
    if (const pinned* const p = is_pinned ? find_pinned(driver_state::instance(), on_host, bytes) : nullptr; is_pinned && (!p || !p->is_live))
        return fail(c, cu_illegal_address, name, "its pinned memory was freed before the stream came to it");
    work_on(c, name, {c.on}, {}, [=] { std::memcpy(to_host ? on_host : pointer(on_device), to_host ? pointer(on_device) : on_host, bytes); });
}

int copy_devices(driver_state& e, const std::string& name, context& c, device* to_device, cu_address to, device* from_device, cu_address from,
                 std::size_t bytes, cu_stream handle) {
    const auto s = find_stream(c, handle);
    if (!s) return cu_invalid_handle;
    if (bytes == 0) return cu_success;
    if (!is_known(e, to) || !is_known(e, from) || (to < from + bytes && from < to + bytes)) return cu_invalid_value;
    enqueue(s, {name, [=](context& on) {
        if (!check_range(on, name, *to_device, to, bytes) || !check_range(on, name, *from_device, from, bytes)) return;
        std::vector<device*> devices = {to_device};
        if (from_device != to_device) devices.push_back(from_device);
        work_on(on, name, devices, {}, [=] { std::memcpy(pointer(to), pointer(from), bytes); });
    }});
    return cu_success;
}

} // namespace

extern "C" {

int cuDeviceGetDefaultMemPool(cu_pool* pool, cu_device ordinal) {
    return enter([&](driver_state& e) -> int {
        if (!pool) return cu_invalid_value;
        if (ordinal < 0 || ordinal >= static_cast<int>(e.devices.size())) return cu_invalid_device;
        *pool = reinterpret_cast<cu_pool>(e.devices[static_cast<std::size_t>(ordinal)].get());
        return cu_success;
    });
}

int cuMemPoolSetAttribute(cu_pool pool, int attribute, void* value) {
    return enter([&](driver_state&) -> int { return pool && value && attribute == cu_release_threshold ? cu_success : static_cast<int>(cu_invalid_value); });
}

int cuMemPoolTrimTo(cu_pool pool, std::size_t) {
    return enter([&](driver_state&) -> int { return pool ? cu_success : static_cast<int>(cu_invalid_value); });
}

int cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
    return enter_context([&](driver_state& e, context& c) -> int {
        if (!free || !total) return cu_invalid_value;
        *free = e.memory_bytes - c.on->used;
        *total = e.memory_bytes;
        return cu_success;
    });
}

int cuMemAllocAsync(cu_address* address, std::size_t bytes, cu_stream handle) {
    return enter_context([&](driver_state& e, context& c) -> int {
        const auto s = find_stream(c, handle);
        if (!s) return cu_invalid_handle;
        if (!address || bytes == 0) return cu_invalid_value;
        if (e.fails("alloc_always") || e.fails("alloc")) return cu_out_of_memory;
        // What the stream frees before is there to be used again.
        if (!has_room(e, *c.on, bytes)) drain(s);
        if (c.error) return c.error;
        allocation* const a = has_room(e, *c.on, bytes) ? c.on->memory->reserve(bytes) : nullptr;
        if (!a) return cu_out_of_memory;
        a->owner = &c;
        c.on->used += bytes;
        *address = a->begin;
        enqueue(s, {"cuMemAllocAsync", [begin = a->begin](context& on) {
            if (allocation* const made = on.on->memory->find(begin)) on.on->memory->make(*made);
        }});
        return cu_success;
    });
}

int cuMemFreeAsync(cu_address address, cu_stream handle) {
    return enter_context(
        [&](driver_state&, context& c) -> int {
            const auto s = find_stream(c, handle);
            if (!s) return cu_invalid_handle;
            allocation* const a = c.on->memory->contains(address) ? c.on->memory->find(address) : nullptr;
            if (!a || a->is_free_pending || a->now == allocation::state::freed) return cu_invalid_value;
            a->is_free_pending = true;
            enqueue(s, {"cuMemFreeAsync", [=](context& on) { release(on, *on.on, address); }, true});
            return cu_success;
        },
        true);
}

int cuMemAllocHost_v2(void** memory, std::size_t bytes) {
    return enter_context([&](driver_state& e, context&) -> int {
        if (!memory || bytes == 0) return cu_invalid_value;
        if (e.fails("pinned")) return cu_out_of_memory;
        void* const p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED) return cu_out_of_memory;
        std::memset(p, poison, bytes);
        e.pinned_memory[reinterpret_cast<std::uintptr_t>(p)] = {bytes, true};
        *memory = p;
        return cu_success;
    });
}

int cuMemFreeHost(void* memory) {
    return enter_context(
        [&](driver_state& e, context&) -> int {
            const auto p = e.pinned_memory.find(reinterpret_cast<std::uintptr_t>(memory));
            if (p == e.pinned_memory.end() || !p->second.is_live) return cu_invalid_value;
            // The addresses stay taken for a while, so that a use of them is a fault; copies that wait find them freed.
            p->second.is_live = false;
            mmap(memory, p->second.bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
            if (e.pinned_memory.size() < greatest_pinned_history) return cu_success;
            std::erase_if(e.pinned_memory, [](const auto& old) {
                return !old.second.is_live && munmap(reinterpret_cast<void*>(old.first), old.second.bytes) == 0;
            });
            return cu_success;
        },
        true);
}

int cuMemcpyHtoDAsync_v2(cu_address to, const void* from, std::size_t bytes, cu_stream handle) {
    return enter_context([&](driver_state& e, context& c) -> int {
        const auto s = find_stream(c, handle);
        if (!s) return cu_invalid_handle;
        if (bytes == 0) return cu_success;
        if (!from || !is_known(e, to)) return cu_invalid_value;
        const std::string name = "cuMemcpyHtoDAsync";
        if (find_pinned(e, from, bytes)) {
            enqueue(s, {name, [=](context& on) { copy_host(on, name, to, const_cast<void*>(from), bytes, false, true); }});
        } else {
            const auto* const source = static_cast<const unsigned char*>(from);
            const auto staged = std::make_shared<std::vector<unsigned char>>(source, source + bytes);
            enqueue(s, {name, [=](context& on) { copy_host(on, name, to, staged->data(), bytes, false, false); }});
        }
        return cu_success;
    });
}

int cuMemcpyDtoHAsync_v2(void* to, cu_address from, std::size_t bytes, cu_stream handle) {
    return enter_context([&](driver_state& e, context& c) -> int {
        const auto s = find_stream(c, handle);
        if (!s) return cu_invalid_handle;
        if (bytes == 0) return cu_success;
        if (!to || !is_known(e, from)) return cu_invalid_value;
        std::memset(to, poison, bytes); // for those who look too early
        const std::string name = "cuMemcpyDtoHAsync";
        const bool is_pinned = find_pinned(e, to, bytes);
        enqueue(s, {name, [=](context& on) { copy_host(on, name, from, to, bytes, true, is_pinned); }});
        return cu_success;
    });
}

int cuMemcpyDtoDAsync_v2(cu_address to, cu_address from, std::size_t bytes, cu_stream handle) {
    return enter_context([&](driver_state& e, context& c) -> int {
        return copy_devices(e, "cuMemcpyDtoDAsync", c, c.on, to, c.on, from, bytes, handle);
    });
}

int cuMemcpyPeerAsync(cu_address to, cu_context to_context, cu_address from, cu_context from_context, std::size_t bytes, cu_stream handle) {
    return enter_context([&](driver_state& e, context& c) -> int {
        const context *const t = e.find_context(to_context), *const f = e.find_context(from_context);
        if (!t || !f) return cu_invalid_context;
        if (t->error || f->error) return t->error ? t->error : f->error;
        return copy_devices(e, "cuMemcpyPeerAsync", c, t->on, to, f->on, from, bytes, handle);
    });
}

int cuMemsetD8Async(cu_address to, unsigned char value, std::size_t bytes, cu_stream handle) {
    return enter_context([&](driver_state& e, context& c) -> int {
        const auto s = find_stream(c, handle);
        if (!s) return cu_invalid_handle;
        if (bytes == 0) return cu_success;
        if (!is_known(e, to)) return cu_invalid_value;
        const std::string name = "cuMemsetD8Async";
        enqueue(s, {name, [=](context& on) {
            if (check_range(on, name, *on.on, to, bytes)) work_on(on, name, {on.on}, {}, [=] { std::memset(pointer(to), value, bytes); });
        }});
        return cu_success;
    });
}

} // extern "C"
} // namespace sinter::detail::jit

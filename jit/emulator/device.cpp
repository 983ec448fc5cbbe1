// jit/emulator/device.cpp -- entry points of the emulated driver: start, statuses in words, devices, contexts.

#include <algorithm>
#include <cstdio>

#include "fault.hpp"
#include "state.hpp"

namespace sinter::detail::jit {

using namespace emulator;

namespace {

struct status_row {
    int status;
    const char *name, *text;
};
constexpr status_row status_rows[] = {
    {cu_success, "CUDA_SUCCESS", "no error"},
    {cu_invalid_value, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {cu_out_of_memory, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {cu_not_initialized, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {cu_deinitialized, "CUDA_ERROR_DEINITIALIZED", "driver shutting down"},
    {cu_no_device, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {cu_invalid_device, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {cu_invalid_image, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {cu_invalid_context, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {cu_invalid_source, "CUDA_ERROR_INVALID_SOURCE", "device kernel image is invalid"},
    {cu_invalid_handle, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {cu_not_found, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {cu_illegal_address, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {cu_out_of_resources, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"},
    {cu_context_destroyed, "CUDA_ERROR_CONTEXT_IS_DESTROYED", "context is destroyed"},
    {cu_misaligned_address, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
    {cu_launch_failed, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {cu_unknown, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

thread_local cu_context current = nullptr;

int status_word(int status, const char** word, const char* status_row::*which) {
    if (!word) return cu_invalid_value;
    *word = nullptr;
    for (const status_row& row : status_rows)
        if (row.status == status) *word = row.*which;
    return *word ? static_cast<int>(cu_success) : static_cast<int>(cu_invalid_value);
}

device* find_device(driver_state& e, cu_device ordinal) {
    return ordinal >= 0 && ordinal < static_cast<int>(e.devices.size()) ? e.devices[static_cast<std::size_t>(ordinal)].get() : nullptr;
}

} // namespace

namespace emulator {

context* current_context() {
    return driver_state::instance().find_context(current);
}

context* driver_state::find_context(cu_context handle) {
    const auto c = contexts.find(handle);
    return c == contexts.end() ? nullptr : c->second.get();
}

device* driver_state::device_of(cu_address address) {
    for (const auto& d : devices)
        if (d->memory->contains(address)) return d.get();
    return nullptr;
}

void destroy_context(cu_context handle) {
    driver_state& e = driver_state::instance();
    context* const c = e.find_context(handle);
    // Everything that waits is given up, as the program has not waited for it.
    c->error = c->error ? c->error : static_cast<int>(cu_context_destroyed);
    c->null_stream->queue.clear();
    for (const auto& s : c->destroyed) s->queue.clear();
    for (const auto& [stream_handle, s] : e.streams)
        if (s->owner == c) s->queue.clear();
    long long lost = std::erase_if(e.streams, [&](const auto& s) { return s.second->owner == c; });
    lost += std::erase_if(e.events, [&](const auto& v) { return v.second.owner == c; });
    lost += std::erase_if(e.modules, [&](const auto& m) { return m.second->owner == c; });
    std::erase_if(e.functions, [&](const auto& f) { return f.second.owner == c; });
    for (auto& [pages, a] : c->on->memory->allocations()) {
        if (a.now == allocation::state::freed || a.owner != c) continue;
        lost += !a.is_free_pending;
        c->on->used -= a.bytes;
        c->on->memory->release(a);
    }
    if (lost > 0 && environment_number("SINTER_EMULATOR_REPORT", 0) == 1)
        std::fprintf(stderr, "sinter emulator: leaked %lld allocations, streams, events and modules with the context of device %d\n", lost, c->on->ordinal);
    c->on->primary = nullptr;
    e.contexts.erase(handle);
}

} // namespace emulator

extern "C" {

int cuInit(unsigned flags) {
    driver_state& e = driver_state::instance();
    const std::lock_guard lock(e.mutex);
    if (flags != 0) return cu_invalid_value;
    if (e.fails("lost")) return cu_unknown;
    const long long count = environment_number("SINTER_EMULATOR_DEVICES", 2);
    if (count <= 0) return cu_no_device;
    if (e.is_initialized) return cu_success;
    e.memory_bytes = static_cast<std::size_t>(environment_number("SINTER_EMULATOR_MEMORY", 8ll << 30));
    e.capability = static_cast<int>(environment_number("SINTER_EMULATOR_ARCH", 90));
    for (int k = 0; k < std::min<long long>(count, 8); ++k) {
        auto d = std::make_unique<device>();
        d->ordinal = k;
        d->memory = std::make_unique<arena>(k, e.memory_bytes);
        watch(*d->memory);
        e.devices.push_back(std::move(d));
    }
    install_handlers();
    e.is_initialized = true;
    return cu_success;
}

int cuDriverGetVersion(int* version) {
    if (!version) return cu_invalid_value;
    *version = 13000;
    return cu_success;
}

int cuGetErrorName(int status, const char** name) {
    return status_word(status, name, &status_row::name);
}
int cuGetErrorString(int status, const char** text) {
    return status_word(status, text, &status_row::text);
}

int cuDeviceGetCount(int* count) {
    return enter([&](driver_state& e) -> int {
        if (!count) return cu_invalid_value;
        *count = static_cast<int>(e.devices.size());
        return cu_success;
    });
}

int cuDeviceGet(cu_device* device, int ordinal) {
    return enter([&](driver_state& e) -> int {
        if (!device) return cu_invalid_value;
        if (!find_device(e, ordinal)) return cu_invalid_device;
        *device = ordinal;
        return cu_success;
    });
}

int cuDeviceGetName(char* name, int length, cu_device device) {
    return enter([&](driver_state& e) -> int {
        if (!name || length <= 0) return cu_invalid_value;
        if (!find_device(e, device)) return cu_invalid_device;
        std::snprintf(name, static_cast<std::size_t>(length), "sinter emulator %d", device);
        return cu_success;
    });
}

int cuDeviceGetAttribute(int* value, int attribute, cu_device device) {
    return enter([&](driver_state& e) -> int {
        if (!value) return cu_invalid_value;
        if (!find_device(e, device)) return cu_invalid_device;
        switch (attribute) {
        case cu_multiprocessors: *value = 132; return cu_success;
        case cu_threads_per_multiprocessor: *value = 2048; return cu_success;
        case cu_capability_major: *value = e.capability / 10; return cu_success;
        case cu_capability_minor: *value = e.capability % 10; return cu_success;
        case cu_memory_pools: *value = 1; return cu_success;
        default: return cu_invalid_value;
        }
    });
}

int cuDeviceTotalMem_v2(std::size_t* bytes, cu_device device) {
    return enter([&](driver_state& e) -> int {
        if (!bytes) return cu_invalid_value;
        if (!find_device(e, device)) return cu_invalid_device;
        *bytes = e.memory_bytes;
        return cu_success;
    });
}

int cuDevicePrimaryCtxRetain(cu_context* handle, cu_device device) {
    return enter([&](driver_state& e) -> int {
        if (!handle) return cu_invalid_value;
        auto* const d = find_device(e, device);
        if (!d) return cu_invalid_device;
        if (!d->primary) {
            d->primary = e.new_handle<cu_context>();
            auto c = std::make_unique<context>();
            c->on = d;
            c->null_stream = std::make_shared<stream>();
            c->null_stream->owner = c.get();
            e.contexts[d->primary] = std::move(c);
        }
        ++e.find_context(d->primary)->retained;
        *handle = d->primary;
        return cu_success;
    });
}

int cuDevicePrimaryCtxRelease_v2(cu_device device) {
    return enter([&](driver_state& e) -> int {
        auto* const d = find_device(e, device);
        if (!d) return cu_invalid_device;
        if (!d->primary) return cu_invalid_context;
        context& c = *e.find_context(d->primary);
        const int error = c.error;
        if (--c.retained == 0) destroy_context(d->primary);
        return error;
    });
}

int cuCtxSetCurrent(cu_context handle) {
    return enter([&](driver_state& e) -> int {
        const context* const c = e.find_context(handle);
        if (handle && !c) return cu_context_destroyed;
        current = handle;
        return c ? c->error : static_cast<int>(cu_success);
    });
}

} // extern "C"
} // namespace sinter::detail::jit

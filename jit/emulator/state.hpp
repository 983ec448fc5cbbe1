// jit/emulator/state.hpp -- everything the emulated driver knows: devices, contexts, streams with what waits in them, modules.
//
// One mutex guards it all, and is held while kernels run. Handles are numbers that are never used twice, so a stale one is
// always noticed.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <vector>

#include "arena.hpp"
#include "entries.hpp"
#include "image.hpp"
#include "status.hpp"

namespace sinter::detail::jit::emulator {

struct context;
struct stream;

/// One cuEventRecord: what waits for it waits for this point of that stream.
struct marker {
    bool is_done = false;
    std::shared_ptr<stream> where;
};

struct operation {
    std::string name;
    std::function<void(context&)> run;
    bool is_bookkeeping = false; // done even when the context has failed
};

struct stream {
    context* owner = nullptr;
    std::deque<operation> queue;
};

struct event {
    context* owner = nullptr;
    std::shared_ptr<marker> latest; // null: never recorded
};

struct module {
    context* owner = nullptr;
    void* library = nullptr; // of dlopen
    const kernel_table* table = nullptr;
    std::set<cu_function> functions;
};

struct function {
    context* owner = nullptr;
    std::shared_ptr<module> from; // keeps the code for what waits in a queue
    const kernel_entry* entry = nullptr;
};

struct device;

struct context {
    device* on = nullptr;
    int retained = 0;
    int error = 0; // stays until the context is gone
    std::shared_ptr<stream> null_stream;
    std::vector<std::shared_ptr<stream>> destroyed; // with work left
};

struct device {
    int ordinal = 0;
    std::unique_ptr<arena> memory;
    std::size_t used = 0; // bytes
    cu_context primary = nullptr;
};

struct pinned {
    std::size_t bytes = 0;
    bool is_live = true;
};

struct driver_state {
    std::mutex mutex;
    bool is_initialized = false;
    std::size_t memory_bytes = 0; // of a device
    int capability = 90;
    std::mt19937_64 random;
    std::vector<std::unique_ptr<device>> devices;
    std::map<cu_context, std::unique_ptr<context>> contexts;
    std::map<cu_stream, std::shared_ptr<stream>> streams;
    std::map<cu_event, event> events;
    std::map<cu_module, std::shared_ptr<module>> modules;
    std::map<cu_function, function> functions;
    std::map<std::uintptr_t, pinned> pinned_memory; // by address
    std::map<std::string, long long> countdowns;    // of injected failures
    long long launches = 0, compiles = 0;
    std::uintptr_t last_handle = 0x5100;

    /// Never deleted: queues may hold it when the process ends.
    static driver_state& instance();

    template <class Handle>
    Handle new_handle() {
        return reinterpret_cast<Handle>(last_handle += 0x10);
    }
    /// Whether the call at hand is the one that was to fail.
    bool fails(const char* what);
    bool chance(unsigned one_in) { return random() % one_in == 0; }

    context* find_context(cu_context handle);
    device* device_of(cu_address address);
};

long long environment_number(const char* name, long long otherwise);

/// The calling thread's context; null where it has none.
context* current_context();

// ---- queues

/// Takes an operation into a stream; runs the stream when it has grown long.
void enqueue(const std::shared_ptr<stream>& s, operation o);
/// Runs what waits in the stream, and what that waits on.
void drain(const std::shared_ptr<stream>& s);
/// As drain; the other streams of the context, which may come before or after, have some of their work done at random.
void synchronize(const std::shared_ptr<stream>& s);
/// The stream of a handle, of the context; null if it is not. A null handle is the context's own stream.
std::shared_ptr<stream> find_stream(context& c, cu_stream handle);
/// Work on device memory: lets the devices' memory be used, catches faults, checks the surroundings of the addresses.
/// place: of a kernel, the thread that runs.
void work_on(context& c, const std::string& name, const std::vector<device*>& devices, const std::vector<cu_address>& addresses,
             const std::function<void()>& work, const kernel_state* place = nullptr);
/// Runs the marker's stream until it gets there.
void run_until(const marker& m);
/// The context's failure, said once.
void fail(context& c, int status, const std::string& name, const std::string& text);

/// Whether [address, address + bytes) is live memory of the device; a failure of the context otherwise.
bool check_range(context& c, const std::string& name, const device& d, cu_address address, std::size_t bytes);

/// A launch, its parameters copied.
struct launch {
    function what;
    index3 grid{}, block{};
    unsigned shared_bytes = 0;
    std::vector<std::max_align_t> storage;
    std::vector<std::size_t> offsets; // in storage, of each parameter
};
void run_launch(context& c, launch& l);

/// Frees a context's things when its last owner has left it.
void destroy_context(cu_context handle);

// ---- a call of the driver: lock, initialized, not lost; then the body

template <class Body>
int enter(const Body& body) {
    driver_state& e = driver_state::instance();
    const std::lock_guard lock(e.mutex);
    if (e.fails("lost")) return cu_unknown;
    if (!e.is_initialized) return cu_not_initialized;
    return body(e);
}

/// The same inside the thread's context. is_release: what gives things back does so even in a context that failed.
template <class Body>
int enter_context(const Body& body, bool is_release = false) {
    return enter([&](driver_state& e) -> int {
        context* const c = current_context();
        if (!c) return cu_invalid_context;
        const int error = c->error;
        if (error && !is_release) return error;
        const int r = body(e, *c);
        return error ? error : r;
    });
}

} // namespace sinter::detail::jit::emulator

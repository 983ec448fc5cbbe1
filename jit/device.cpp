// jit/device.cpp -- stage 6: contexts and streams, the order between streams, device memory, staged copies.

#include "device.hpp"

#include <atomic>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include <sinter/core/device.hpp>
#include <sinter/core/error.hpp>

namespace sinter::detail::jit {
namespace {

/// A block of device memory, and which streams have to do with it.
struct device_block : block {
    std::atomic<stream_slot*> writer{nullptr}; // whose work wrote it last
    std::atomic<bool> foreign{false};          // other streams have read it since
};

constexpr std::size_t staging_bytes = std::size_t{4} << 20;
constexpr std::size_t direct_bytes = std::size_t{64} << 10; // below, the driver's own staging is as good

/// Two pieces of pinned memory for copies of pageable memory: one is filled while the other travels.
struct staging {
    std::mutex mutex;
    void* memory[2] = {nullptr, nullptr};
    bool tried = false;

    bool is_there() {
        if (!tried) {
            tried = true;
            for (void*& m : memory)
                if (drivers().cuMemAllocHost_v2(&m, staging_bytes) != 0) m = nullptr;
        }
        return memory[0] && memory[1];
    }
};

struct gpu {
    int ordinal = 0;
    cu_device handle = 0;
    cu_context context = nullptr; // once it is used
    device_properties properties;
    cu_pool pool = nullptr;
    std::mutex mutex; // of what follows
    std::deque<stream_slot> slots;
    std::vector<stream_slot*> free_slots;
    std::vector<cu_module> modules;
    staging copies;
};

std::atomic<bool> has_ended{false};

/// All GPUs. Never deleted, because tensors of static lifetime may outlive it; what the driver gave is given back at the end.
class registry {
public:
    static registry& instance() {
        static registry* const one = new registry;
        static const struct ending {
            ~ending() { one->end(); }
        } at_exit;
        return *one;
    }

    int count() const { return static_cast<int>(gpus_.size()); }
    gpu& find(int device) {
        if (device >= 0 && device < count()) return *gpus_[static_cast<std::size_t>(device)];
        require_driver();
        if (!problem_.empty()) throw device_error("device " + cuda(device).name() + ": " + problem_);
        throw device_error("device " + cuda(device).name() + ": this machine has " + std::to_string(count()) + " CUDA device" +
                           (count() == 1 ? "" : "s"));
    }
    /// Makes the device's context the calling thread's.
    gpu& enter(int device) {
        gpu& g = find(device);
        std::unique_lock lock(g.mutex);
        if (!g.context) {
            SINTER_CUDA(cuDevicePrimaryCtxRetain, &g.context, g.handle);
            SINTER_CUDA(cuDeviceGetDefaultMemPool, &g.pool, g.handle);
            std::uint64_t keep_all = ~std::uint64_t{0}; // until the pool is trimmed
            SINTER_CUDA(cuMemPoolSetAttribute, g.pool, cu_release_threshold, &keep_all);
        }
        lock.unlock();
        SINTER_CUDA(cuCtxSetCurrent, g.context);
        return g;
    }
    template <class F>
    void for_slots(F&& f) {
        for (const auto& g : gpus_) {
            const std::lock_guard lock(g->mutex);
            for (stream_slot& s : g->slots) f(*g, s);
        }
    }

private:
    registry() {
        const driver_table& d = drivers();
        if (!d.driver_library.problem.empty()) return;
        const int status = d.cuInit(0);
        int number = 0;
        if (status != 0 || d.cuDeviceGetCount(&number) != 0) {
            const char* text = nullptr;
            problem_ = d.cuGetErrorString(status, &text) == 0 && text ? text : "the CUDA driver does not start";
            return;
        }
        for (int k = 0; k < number; ++k) add(k);
    }
    void add(int ordinal) {
        const driver_table& d = drivers();
        auto g = std::make_unique<gpu>();
        g->ordinal = ordinal;
        char name[256] = {};
        int major = 0, minor = 0;
        if (d.cuDeviceGet(&g->handle, ordinal) != 0) return;
        d.cuDeviceGetName(name, sizeof(name) - 1, g->handle);
        d.cuDeviceGetAttribute(&major, cu_capability_major, g->handle);
        d.cuDeviceGetAttribute(&minor, cu_capability_minor, g->handle);
        d.cuDeviceGetAttribute(&g->properties.multiprocessors, cu_multiprocessors, g->handle);
        d.cuDeviceGetAttribute(&g->properties.threads_per_multiprocessor, cu_threads_per_multiprocessor, g->handle);
        d.cuDeviceTotalMem_v2(&g->properties.memory_bytes, g->handle);
        g->properties.name = name;
        g->properties.architecture = 10 * major + minor;
        gpus_.push_back(std::move(g));
    }
    void end() {
        has_ended = true;
        const driver_table& d = drivers();
        for (const auto& g : gpus_) {
            if (!g->context || d.cuCtxSetCurrent(g->context) != 0) continue; // lost, or the driver has ended before
            for (stream_slot& s : g->slots) {
                if (!s.is_users && s.stream) d.cuStreamSynchronize(s.stream);
                if (s.blas) d.cublasDestroy_v2(s.blas);
                d.cuEventDestroy_v2(s.event);
                if (!s.is_users) d.cuStreamDestroy_v2(s.stream);
            }
            for (cu_module m : g->modules) d.cuModuleUnload(m);
            for (void* m : g->copies.memory)
                if (m) d.cuMemFreeHost(m);
            d.cuDevicePrimaryCtxRelease_v2(g->handle);
        }
    }

    std::vector<std::unique_ptr<gpu>> gpus_;
    std::string problem_; // why there are none
};

stream_slot& new_slot(gpu& g, cu_stream users) {
    stream_slot made;
    made.device = g.ordinal;
    made.is_users = users != nullptr;
    made.stream = users;
    if (!users) SINTER_CUDA(cuStreamCreate, &made.stream, cu_stream_non_blocking);
    SINTER_CUDA(cuEventCreate, &made.event, cu_event_no_timing);
    g.slots.push_back(made);
    return g.slots.back();
}

/// The streams of this thread, one a device; given to other threads when it ends.
struct thread_streams {
    std::vector<stream_slot*> own, users; // by device
    static inline thread_local bool ended = false;

    ~thread_streams() {
        ended = true;
        if (has_ended) return;
        for (stream_slot* const s : own) {
            if (!s) continue;
            gpu& g = registry::instance().find(s->device);
            const std::lock_guard lock(g.mutex);
            g.free_slots.push_back(s);
        }
    }
    stream_slot*& at(std::vector<stream_slot*>& list, int device) {
        if (list.size() <= static_cast<std::size_t>(device)) list.resize(static_cast<std::size_t>(device) + 1);
        return list[static_cast<std::size_t>(device)];
    }
};
thread_streams& this_thread() {
    static thread_local thread_streams streams;
    return streams;
}

/// `s` waits for all that is in `other` now.
void wait_for(stream_slot& s, stream_slot& other) {
    if (&s == &other) return;
    if (!other.closed) SINTER_CUDA(cuEventRecord, other.event, other.stream);
    SINTER_CUDA(cuStreamWaitEvent, s.stream, other.event, 0);
}

/// `s` waits for all streams that may read or write the block.
void wait_for_users(device_block& b, stream_slot& s) {
    stream_slot* const writer = b.writer.load();
    if (!b.foreign.load()) {
        if (writer) wait_for(s, *writer);
        return;
    }
    registry::instance().for_slots([&](gpu& g, stream_slot& other) {
        if (other.device != s.device) SINTER_CUDA(cuCtxSetCurrent, g.context);
        wait_for(s, other);
    });
    registry::instance().enter(s.device);
}

/// The pinned memory of a device while this object lives: for copies that gain by it, and where it can be had.
class staging_use {
public:
    staging_use(staging& all, std::size_t bytes) {
        if (bytes <= direct_bytes) return;
        lock_ = std::unique_lock(all.mutex);
        if (all.is_there()) memory_ = all.memory;
    }
    explicit operator bool() const { return memory_; }
    void* operator[](int k) const { return memory_[k]; }

private:
    std::unique_lock<std::mutex> lock_;
    void* const* memory_ = nullptr;
};

/// Bytes in pieces through pinned memory; `move(k, at, n)` is called for piece after piece, alternating k.
template <class Move>
void for_pieces(std::size_t bytes, Move&& move) {
    int k = 0;
    for (std::size_t at = 0; at < bytes; at += staging_bytes, k ^= 1) move(k, at, std::min(staging_bytes, bytes - at));
}

} // namespace

int device_count() {
    return registry::instance().count();
}

const device_properties& properties(int device) {
    return registry::instance().find(device).properties;
}

stream_slot& current_stream(int device) {
    gpu& g = registry::instance().enter(device);
    thread_streams& mine = this_thread();
    if (stream_slot* const users = mine.at(mine.users, device)) return *users;
    stream_slot*& own = mine.at(mine.own, device);
    if (!own) {
        const std::lock_guard lock(g.mutex);
        if (g.free_slots.empty()) {
            own = &new_slot(g, nullptr);
        } else {
            own = g.free_slots.back();
            g.free_slots.pop_back();
        }
    }
    return *own;
}

block* allocate_on(int device, std::size_t bytes) {
    stream_slot& s = current_stream(device);
    auto b = std::make_unique<device_block>();
    b->device = static_cast<std::int16_t>(device);
    b->bytes = bytes;
    b->writer = &s;
    if (bytes == 0) return b.release();
    cu_address address = 0;
    int status = drivers().cuMemAllocAsync(&address, bytes, s.stream);
    if (status == cu_out_of_memory) {
        registry::instance().for_slots([&](gpu& g, stream_slot& other) { // what they free comes back
            if (other.device == device && !other.closed && g.context) drivers().cuStreamSynchronize(other.stream);
        });
        SINTER_CUDA(cuMemPoolTrimTo, registry::instance().find(device).pool, 0);
        status = drivers().cuMemAllocAsync(&address, bytes, s.stream);
    }
    if (status == cu_out_of_memory) {
        std::size_t free = 0, total = 0;
        drivers().cuMemGetInfo_v2(&free, &total);
        throw out_of_memory("a tensor of " + std::to_string(bytes) + " bytes does not fit into the memory of " + cuda(device).name() +
                            ": " + std::to_string(free) + " of " + std::to_string(total) + " bytes are free");
    }
    check(status, "cuMemAllocAsync");
    b->data = reinterpret_cast<void*>(address);
    return b.release();
}

void release_on_device(block* unowned) {
    const std::unique_ptr<device_block> b(static_cast<device_block*>(unowned));
    if (has_ended || !b->data) return;
    try {
        registry& all = registry::instance();
        gpu& g = all.enter(b->device);
        stream_slot* s = b->writer.load();
        if (s->closed) { // the user's stream is gone: what it did is done before the event
            const std::lock_guard lock(g.mutex);
            s = nullptr;
            for (stream_slot& other : g.slots)
                if (!other.is_users) s = &other;
            if (!s) s = &new_slot(g, nullptr);
        }
        wait_for_users(*b, *s);
        drivers().cuMemFreeAsync(address_of(b->data), s->stream);
    } catch (const error&) { // the device is lost, and its memory with it
    }
}

void order_read(block& b, stream_slot& s) {
    auto& own = static_cast<device_block&>(b);
    stream_slot* const writer = own.writer.load(std::memory_order_acquire);
    if (writer == &s || !own.data) return;
    own.foreign.store(true);
    wait_for(s, *writer);
}

void order_write(block& b, stream_slot& s) {
    auto& own = static_cast<device_block&>(b);
    if (!own.data || (own.writer.load(std::memory_order_acquire) == &s && !own.foreign.load(std::memory_order_acquire))) return;
    wait_for_users(own, s);
    own.foreign.store(false);
    own.writer.store(&s, std::memory_order_release);
}

void copy_from_host(block& to, std::size_t offset, const void* from, std::size_t bytes) {
    if (bytes == 0) return;
    stream_slot& s = current_stream(to.device);
    order_write(to, s);
    const cu_address target = address_of(to.data) + offset;
    const staging_use pinned(registry::instance().find(to.device).copies, bytes);
    if (!pinned) {
        SINTER_CUDA(cuMemcpyHtoDAsync_v2, target, from, bytes, s.stream);
        return;
    }
    for_pieces(bytes, [&](int k, std::size_t at, std::size_t n) {
        std::memcpy(pinned[k], static_cast<const char*>(from) + at, n);
        SINTER_CUDA(cuStreamSynchronize, s.stream); // the piece before, while this one was copied
        SINTER_CUDA(cuMemcpyHtoDAsync_v2, target + at, pinned[k], n, s.stream);
    });
    SINTER_CUDA(cuStreamSynchronize, s.stream);
}

void copy_to_host(void* to, block& from, std::size_t offset, std::size_t bytes) {
    if (bytes == 0) return;
    stream_slot& s = current_stream(from.device);
    order_read(from, s);
    const cu_address source = address_of(from.data) + offset;
    const staging_use pinned(registry::instance().find(from.device).copies, bytes);
    if (!pinned) {
        SINTER_CUDA(cuMemcpyDtoHAsync_v2, to, source, bytes, s.stream);
        SINTER_CUDA(cuStreamSynchronize, s.stream);
        return;
    }
    std::size_t arrived = 0, arriving = 0; // where the piece before begins, and its length
    const auto unload = [&](int k) { std::memcpy(static_cast<char*>(to) + arrived, pinned[k], arriving); };
    int last = 0;
    for_pieces(bytes, [&](int k, std::size_t at, std::size_t n) {
        SINTER_CUDA(cuStreamSynchronize, s.stream);
        SINTER_CUDA(cuMemcpyDtoHAsync_v2, pinned[k], source + at, n, s.stream);
        if (at > 0) unload(k ^ 1);
        arrived = at;
        arriving = n;
        last = k;
    });
    SINTER_CUDA(cuStreamSynchronize, s.stream);
    unload(last);
}

void copy_on_devices(block& to, block& from, std::size_t bytes) {
    if (bytes == 0) return;
    if (to.device != from.device) registry::instance().enter(from.device);
    stream_slot& s = current_stream(to.device);
    if (to.device != from.device) {
        const cu_context source = registry::instance().find(from.device).context, target = registry::instance().find(to.device).context;
        SINTER_CUDA(cuCtxSetCurrent, source); // for the event of its stream
        order_read(from, s);
        SINTER_CUDA(cuCtxSetCurrent, target);
        order_write(to, s);
        SINTER_CUDA(cuMemcpyPeerAsync, address_of(to.data), target, address_of(from.data), source, bytes, s.stream);
        return;
    }
    order_read(from, s);
    order_write(to, s);
    SINTER_CUDA(cuMemcpyDtoDAsync_v2, address_of(to.data), address_of(from.data), bytes, s.stream);
}

void synchronize(int device) {
    SINTER_CUDA(cuStreamSynchronize, current_stream(device).stream);
}

void keep_module(int device, cu_module module) {
    gpu& g = registry::instance().find(device);
    const std::lock_guard lock(g.mutex);
    g.modules.push_back(module);
}

} // namespace sinter::detail::jit

namespace sinter {

cuda_stream_scope::cuda_stream_scope(void* stream, int device) : device_(device) {
    using namespace detail::jit;
    current_stream(device);
    gpu& g = registry::instance().find(device);
    stream_slot*& now = this_thread().at(this_thread().users, device);
    const std::lock_guard lock(g.mutex);
    stream_slot* s = nullptr;
    for (stream_slot& known : g.slots)
        if (known.is_users && known.closed) s = &known; // its record is free for another stream, once that has waited for it
    if (s) {
        s->stream = static_cast<cu_stream>(stream);
        SINTER_CUDA(cuStreamWaitEvent, s->stream, s->event, 0);
        s->closed = false;
    } else {
        s = &new_slot(g, static_cast<cu_stream>(stream));
    }
    before_ = now;
    now = s;
}

cuda_stream_scope::~cuda_stream_scope() {
    using namespace detail::jit;
    stream_slot*& now = this_thread().at(this_thread().users, device_);
    if (drivers().cuEventRecord(now->event, now->stream) != 0) {} // a lost device is reported by the next call
    now->closed = true;
    now = static_cast<stream_slot*>(before_);
}

} // namespace sinter

// jit/emulator/queue.cpp -- what waits in streams, in which order it runs, and how a failure stays with its context.

#include <algorithm>
#include <cstdio>

#include "fault.hpp"
#include "state.hpp"

namespace sinter::detail::jit::emulator {
namespace {

constexpr std::size_t greatest_queue = 256;

/// By value: the operation may let go of the stream.
void step(std::shared_ptr<stream> s) { // NOLINT(performance-unnecessary-value-param)
    operation o = std::move(s->queue.front());
    s->queue.pop_front();
    if (!s->owner->error || o.is_bookkeeping) o.run(*s->owner);
}

std::vector<std::shared_ptr<stream>> others_of(const std::shared_ptr<stream>& s) {
    std::vector<std::shared_ptr<stream>> r = s->owner->destroyed;
    for (const auto& [handle, other] : driver_state::instance().streams)
        if (other->owner == s->owner && other != s) r.push_back(other);
    if (s->owner->null_stream != s) r.push_back(s->owner->null_stream);
    std::erase_if(r, [](const auto& other) { return other->queue.empty(); });
    return r;
}

void run_some_others(const std::shared_ptr<stream>& s) {
    driver_state& e = driver_state::instance();
    std::vector<std::shared_ptr<stream>> others = others_of(s);
    std::shuffle(others.begin(), others.end(), e.random);
    for (const auto& other : others) {
        if (e.chance(2)) continue;
        for (auto left = e.random() % (other->queue.size() + 1); left > 0 && !other->queue.empty(); --left) step(other);
    }
}

std::string hexadecimal(cu_address address) {
    char text[32];
    std::snprintf(text, sizeof(text), "0x%llx", address);
    return text;
}

std::string place_of(cu_address address) {
    driver_state& e = driver_state::instance();
    if (const device* const d = e.device_of(address))
        return hexadecimal(address) + " of device " + std::to_string(d->ordinal) + ": " + d->memory->describe(address);
    for (const auto& [begin, p] : e.pinned_memory)
        if (address >= begin && address < begin + p.bytes)
            return hexadecimal(address) + (p.is_live ? ": pinned memory of the host" : ": freed pinned memory of the host");
    if (address == 0) return hexadecimal(address) + ", or an address that no machine has";
    return hexadecimal(address) + ": not device memory";
}

} // namespace

void fail(context& c, int status, const std::string& name, const std::string& text) {
    if (c.error) return;
    c.error = status;
    std::fprintf(stderr, "sinter emulator: error %d in %s on device %d: %s\n", status, name.c_str(), c.on->ordinal, text.c_str());
}

void work_on(context& c, const std::string& name, const std::vector<device*>& devices, const std::vector<cu_address>& addresses,
             const std::function<void()>& work, const kernel_state* place) {
    install_handlers();
    for (device* const d : devices) d->memory->open();
    const outcome r = guarded(name.c_str(), [](void* data) { (*static_cast<const std::function<void()>*>(data))(); }, const_cast<std::function<void()>*>(&work));
    for (device* const d : devices) d->memory->open(); // a signal closes it to this thread
    for (const cu_address address : addresses) {
        device* const d = driver_state::instance().device_of(address);
        if (!d || std::find(devices.begin(), devices.end(), d) == devices.end()) continue;
        const allocation* const a = d->memory->at(address);
        const cu_address damaged = a ? d->memory->damage(*a) : 0;
        if (damaged == 0) continue;
        fail(c, cu_illegal_address, name, "it wrote to address " + place_of(damaged));
        d->memory->repair(*a);
    }
    for (device* const d : devices) d->memory->close();
    if (r.status == 0) return;
    std::string text = r.text;
    if (text.empty()) text = "it used address " + place_of(r.address);
    if (place) {
        const index3 &b = place->block, &t = place->thread;
        char where[120];
        std::snprintf(where, sizeof(where), "; in block (%u, %u, %u), thread (%u, %u, %u)", b.x, b.y, b.z, t.x, t.y, t.z);
        text += where;
    }
    fail(c, r.status, name, text);
}

bool check_range(context& c, const std::string& name, const device& d, cu_address address, std::size_t bytes) {
    const allocation* const a = d.memory->contains(address) ? d.memory->at(address) : nullptr;
    const bool is_inside = a && a->now == allocation::state::live && address >= a->begin && bytes <= a->bytes && address - a->begin <= a->bytes - bytes;
    if (!is_inside) fail(c, cu_illegal_address, name, "it used " + std::to_string(bytes) + " bytes at " + place_of(address));
    return is_inside;
}

void enqueue(const std::shared_ptr<stream>& s, operation o) {
    s->queue.push_back(std::move(o));
    if (s->queue.size() > greatest_queue) drain(s);
}

void drain(const std::shared_ptr<stream>& s) {
    while (!s->queue.empty()) step(s);
}

void run_until(const marker& m) {
    while (!m.is_done && !m.where->queue.empty()) step(m.where);
}

void synchronize(const std::shared_ptr<stream>& s) {
    run_some_others(s);
    drain(s);
    run_some_others(s);
    auto& destroyed = s->owner->destroyed;
    std::erase_if(destroyed, [](const auto& d) { return d->queue.empty(); });
}

std::shared_ptr<stream> find_stream(context& c, cu_stream handle) {
    if (!handle) return c.null_stream;
    const auto& streams = driver_state::instance().streams;
    const auto s = streams.find(handle);
    return s != streams.end() && s->second->owner == &c ? s->second : nullptr;
}

} // namespace sinter::detail::jit::emulator

extern "C" int sinter_emulator_enqueue(sinter::detail::jit::cu_stream handle, const char* what, void (*work)(void*), void (*discard)(void*),
                                       void* data, const sinter::detail::jit::cu_address* addresses, int address_count) {
    using namespace sinter::detail::jit::emulator;
    const std::shared_ptr<void> owned(data, discard);
    const std::vector<sinter::detail::jit::cu_address> used(addresses, addresses + address_count);
    const std::string name = what;
    return enter_context([&](driver_state&, context& c) -> int {
        const auto s = find_stream(c, handle);
        if (!s) return cu_invalid_handle;
        enqueue(s, {name, [=](context& on) { work_on(on, name, {on.on}, used, [=] { work(owned.get()); }); }});
        return cu_success;
    });
}

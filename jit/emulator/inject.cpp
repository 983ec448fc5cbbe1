// jit/emulator/inject.cpp -- failures on request, counts of what is alive, and the report of what was left.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "state.hpp"

namespace sinter::detail::jit::emulator {
namespace {

void inject(driver_state& e, const std::string& what, long long countdown) {
    if (countdown < 0)
        e.countdowns.erase(what);
    else
        e.countdowns[what] = countdown;
}

/// SINTER_EMULATOR_FAIL=alloc:3,launch:1
void inject_from_environment(driver_state& e) {
    const char* const text = std::getenv("SINTER_EMULATOR_FAIL");
    std::istringstream list(text ? text : "");
    std::string entry;
    while (std::getline(list, entry, ',')) {
        const std::size_t colon = entry.find(':');
        inject(e, entry.substr(0, colon), colon == std::string::npos ? 1 : std::atoll(entry.c_str() + colon + 1));
    }
}

long long count_allocations(const driver_state& e, bool is_in_bytes) {
    long long r = 0;
    for (const auto& d : e.devices)
        for (const auto& [pages, a] : d->memory->allocations())
            if (a.now != allocation::state::freed && !a.is_free_pending) r += is_in_bytes ? static_cast<long long>(a.bytes) : 1;
    return r;
}

long long live(const driver_state& e, const std::string& what) {
    if (what == "allocations") return count_allocations(e, false);
    if (what == "bytes") return count_allocations(e, true);
    if (what == "streams") return static_cast<long long>(e.streams.size());
    if (what == "events") return static_cast<long long>(e.events.size());
    if (what == "modules") return static_cast<long long>(e.modules.size());
    if (what == "contexts") return static_cast<long long>(e.contexts.size());
    if (what == "launches") return e.launches;
    if (what == "compiles") return e.compiles;
    if (what != "pinned") return -1;
    long long r = 0;
    for (const auto& [begin, p] : e.pinned_memory) r += p.is_live;
    return r;
}

[[gnu::destructor]] void report() {
    const char* const wanted = std::getenv("SINTER_EMULATOR_REPORT");
    if (!wanted || std::strcmp(wanted, "1") != 0) return;
    driver_state& e = driver_state::instance();
    const std::lock_guard lock(e.mutex);
    for (const char* const what : {"allocations", "streams", "events", "modules", "pinned", "contexts"}) {
        const long long n = live(e, what);
        if (n == 0) continue;
        std::fprintf(stderr, "sinter emulator: leaked %lld %s", n, what);
        if (std::strcmp(what, "allocations") == 0) std::fprintf(stderr, " of %lld bytes", live(e, "bytes"));
        std::fprintf(stderr, "\n");
    }
}

} // namespace

driver_state& driver_state::instance() {
    static driver_state* const one = [] {
        auto* const r = new driver_state;
        r->random.seed(static_cast<std::uint64_t>(environment_number("SINTER_EMULATOR_SEED", 1)));
        inject_from_environment(*r);
        return r;
    }();
    return *one;
}

bool driver_state::fails(const char* what) {
    const auto c = countdowns.find(what);
    if (c == countdowns.end()) return false;
    if (--c->second > 0) return false;
    const bool stays = std::strcmp(what, "lost") == 0 || std::strcmp(what, "alloc_always") == 0;
    if (!stays) countdowns.erase(c);
    return true;
}

long long environment_number(const char* name, long long otherwise) {
    const char* const text = std::getenv(name);
    return text && *text ? std::strtoll(text, nullptr, 0) : otherwise;
}

} // namespace sinter::detail::jit::emulator

using namespace sinter::detail::jit::emulator;

extern "C" void sinter_emulator_inject(const char* what, long long countdown) {
    driver_state& e = driver_state::instance();
    const std::lock_guard lock(e.mutex);
    inject(e, what, countdown);
}

extern "C" long long sinter_emulator_live(const char* what) {
    driver_state& e = driver_state::instance();
    const std::lock_guard lock(e.mutex);
    return live(e, what);
}

extern "C" bool sinter_emulator_fails_compile() {
    driver_state& e = driver_state::instance();
    const std::lock_guard lock(e.mutex);
    ++e.compiles;
    return e.fails("compile");
}

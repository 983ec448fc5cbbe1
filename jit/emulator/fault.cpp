// jit/emulator/fault.cpp -- work that may touch forbidden memory: signal handlers and the jump out of a kernel.

// Fortified jumps take a jump from a fiber's stack for damage.
#undef _FORTIFY_SOURCE
#define _FORTIFY_SOURCE 0

#include "fault.hpp"

#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstring>
#include <pthread.h>
#include <unistd.h>

#include "fiber.hpp"
#include "sanitizer.hpp"
#include "status.hpp"

namespace sinter::detail::jit::emulator {
namespace {

constexpr int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};
constexpr int greatest_arena_count = 16;

struct sigaction earlier[std::size(signals)];
struct {
    std::atomic<cu_address> begin, end;
} watched[greatest_arena_count];
std::atomic<int> watched_count;

// Of the one piece of work that runs.
std::atomic<bool> is_running;
pthread_t runner;
sigjmp_buf way_out;
int end_signal, end_status;
cu_address end_address;
char end_text[400];

bool is_watched(cu_address address) {
    for (int k = 0; k < watched_count.load(); ++k)
        if (address >= watched[k].begin && address < watched[k].end) return true;
    return false;
}

void write_text(const char* text) {
    [[maybe_unused]] const auto written = write(2, text, std::strlen(text));
}

void say_host_read(cu_address address) {
    char digits[17] = {};
    for (int k = 15; k >= 0; --k, address >>= 4) digits[k] = "0123456789abcdef"[address & 15];
    write_text("sinter emulator: host code read device memory, at address 0x");
    write_text(digits);
    write_text("\n");
}

void set_default(int signal) {
    struct sigaction action {};
    action.sa_handler = SIG_DFL;
    sigaction(signal, &action, nullptr);
}

[[noreturn]] void jump_out() {
    leave_fibers();
    is_running = false;
    siglongjmp(way_out, 1);
}

void handle(int signal, siginfo_t* info, void* machine) {
    const auto address = reinterpret_cast<cu_address>(info->si_addr);
    const bool is_fault = info->si_code > 0; // not sent by a process
    if (is_fault && is_running && pthread_equal(runner, pthread_self())) {
        end_signal = signal;
        end_address = address;
        jump_out();
    }
    if (is_fault && signal == SIGSEGV && is_watched(address)) {
        say_host_read(address);
        return set_default(signal); // and again, to die of it
    }
    std::size_t k = 0;
    while (signals[k] != signal) ++k;
    const struct sigaction& before = earlier[k];
    if (!is_fault) {
        // A handler before this one raises its signal again.
        set_default(signal);
        raise(signal);
    } else if (before.sa_flags & SA_SIGINFO) {
        before.sa_sigaction(signal, info, machine);
    } else if (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN) {
        set_default(signal);
    } else {
        before.sa_handler(signal);
    }
}

/// The address sanitizer ends the process: then the kernel's name is all that is left to say.
void name_for_sanitizer([[maybe_unused]] const char* name) {
#if defined(SINTER_EMULATOR_ASAN)
    static const char* running = "";
    running = name;
    __sanitizer_set_death_callback([] {
        if (!is_running) return;
        write_text("sinter emulator: this happened in ");
        write_text(running);
        write_text("; SINTER_EMULATOR_KEEP keeps its source, for line numbers\n");
    });
#endif
}

} // namespace

void install_handlers() {
    for (std::size_t k = 0; k < std::size(signals); ++k) {
        struct sigaction now {};
        sigaction(signals[k], nullptr, &now);
        // Test frameworks set their own for each test and put back what was before, so it is looked at again and again.
        if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == handle) continue;
        earlier[k] = now;
        struct sigaction ours {};
        ours.sa_sigaction = handle;
        ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
        sigemptyset(&ours.sa_mask);
        sigaction(signals[k], &ours, nullptr);
    }
}

void watch(const arena& a) {
    const int k = watched_count;
    if (k == greatest_arena_count) return;
    watched[k].begin = a.begin();
    watched[k].end = a.end();
    ++watched_count;
}

outcome guarded(const char* name, void (*work)(void*), void* data) {
    name_for_sanitizer(name);
    // A kernel that runs out of its stack needs another one to be told so.
    static char spare_stack[64 << 10];
    stack_t spare{}, before{};
    spare.ss_sp = spare_stack;
    spare.ss_size = sizeof(spare_stack);
    sigaltstack(nullptr, &before);
    const bool is_set = (before.ss_flags & SS_DISABLE) && sigaltstack(&spare, nullptr) == 0;
    end_signal = end_status = 0;
    runner = pthread_self();
    if (sigsetjmp(way_out, 1) == 0) {
        is_running = true;
        work(data);
        is_running = false;
    } else {
        arrive_from_fibers();
    }
    if (is_set) sigaltstack(&before, nullptr);
    outcome r;
    r.address = end_address;
    if (end_status != 0) {
        r.status = end_status;
        r.text = end_text;
    } else if (end_signal == SIGILL) {
        r.status = cu_misaligned_address;
        r.text = "a misaligned access (or an illegal instruction)";
    } else if (end_signal == SIGFPE) {
        r.status = cu_launch_failed;
        r.text = "an integer division by zero, or of the lowest integer by -1";
    } else if (end_signal != 0) {
        r.status = cu_illegal_address;
    }
    return r;
}

void end_work(int status, const char* text) {
    end_status = status;
    std::strncpy(end_text, text, sizeof(end_text) - 1);
    end_address = 0;
    jump_out();
}

} // namespace sinter::detail::jit::emulator

// jit/emulator/fiber.cpp -- the threads of a block that wait for one another: stacks, switches, barriers and shuffles.

#include "fiber.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <sys/mman.h>
#include <vector>

#include "fault.hpp"
#include "sanitizer.hpp"
#include "status.hpp"

#if defined(__x86_64__) && !defined(SINTER_EMULATOR_UCONTEXT)
    #define SINTER_EMULATOR_SWITCH 1 // nine times as fast as ucontext, which makes system calls
#else
    #include <ucontext.h>
#endif

namespace sinter::detail::jit::emulator {
namespace {

#if defined(SINTER_EMULATOR_ASAN)
constexpr std::size_t stack_bytes = 256 << 10;
#else
constexpr std::size_t stack_bytes = 64 << 10;
#endif

enum class fiber_state { ready, at_barrier, at_lanes, done };

struct fiber {
    fiber_state state = fiber_state::done;
    unsigned char* stack = nullptr;
    index3 thread{};
    // What it gave to the lanes of its warp, and what it gets.
    unsigned kind = 0, mask = 0, source = 0;
    unsigned long long bits = 0, result = 0;
    void* sanitizer = nullptr;
#if defined(SINTER_EMULATOR_SWITCH)
    void* place = nullptr;
#else
    ucontext_t place;
#endif
};

// One block runs at a time.
std::vector<fiber>& fibers = *new std::vector<fiber>;
std::vector<unsigned char*>& stacks = *new std::vector<unsigned char*>;
const kernel_entry* kernel_now;
kernel_state* state_now;
void** parameters_now;
fiber* fiber_now;

#if defined(SINTER_EMULATOR_SWITCH)
void* scheduler_place;

// Saves what a function must keep, and the stack; goes on where the other stack was left.
extern "C" void sinter_emulator_switch(void** from, void* to);
asm(R"(
.text
.p2align 4
.hidden sinter_emulator_switch
.globl sinter_emulator_switch
.type sinter_emulator_switch, @function
sinter_emulator_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size sinter_emulator_switch, .-sinter_emulator_switch
)");
#else
ucontext_t scheduler_place;
#endif

#if defined(SINTER_EMULATOR_ASAN)
void* scheduler_sanitizer;
const void* scheduler_stack;
std::size_t scheduler_stack_bytes;
#endif

void to_fiber(fiber& f) {
    fiber_now = &f;
    state_now->thread = f.thread;
#if defined(SINTER_EMULATOR_ASAN)
    __sanitizer_start_switch_fiber(&scheduler_sanitizer, f.stack, stack_bytes);
#endif
#if defined(SINTER_EMULATOR_SWITCH)
    sinter_emulator_switch(&scheduler_place, f.place);
#else
    swapcontext(&scheduler_place, &f.place);
#endif
#if defined(SINTER_EMULATOR_ASAN)
    __sanitizer_finish_switch_fiber(scheduler_sanitizer, nullptr, nullptr);
#endif
    fiber_now = nullptr;
}

void to_scheduler(bool is_last) {
    fiber& f = *fiber_now;
#if defined(SINTER_EMULATOR_ASAN)
    __sanitizer_start_switch_fiber(is_last ? nullptr : &f.sanitizer, scheduler_stack, scheduler_stack_bytes);
#else
    (void)is_last;
#endif
#if defined(SINTER_EMULATOR_SWITCH)
    sinter_emulator_switch(&f.place, scheduler_place);
#else
    swapcontext(&f.place, &scheduler_place);
#endif
#if defined(SINTER_EMULATOR_ASAN)
    __sanitizer_finish_switch_fiber(f.sanitizer, &scheduler_stack, &scheduler_stack_bytes);
#endif
}

void fiber_main() {
#if defined(SINTER_EMULATOR_ASAN)
    __sanitizer_finish_switch_fiber(nullptr, &scheduler_stack, &scheduler_stack_bytes);
#endif
    const auto number = static_cast<unsigned>(fiber_now - fibers.data());
    kernel_now->run(parameters_now, number, number + 1);
    fiber_now->state = fiber_state::done;
    to_scheduler(true);
    __builtin_trap();
}

unsigned char* new_stack() {
    auto* const p = static_cast<unsigned char*>(
        mmap(nullptr, stack_bytes + page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0));
    if (p == MAP_FAILED) end_work(cu_out_of_resources, "no memory for the stacks of a block's threads");
    mprotect(p, page_bytes, PROT_NONE);
    return p + page_bytes;
}

void prepare(fiber& f) {
    f.state = fiber_state::ready;
#if defined(SINTER_EMULATOR_SWITCH)
    auto** const top = reinterpret_cast<void**>(f.stack + stack_bytes);
    std::fill(top - 9, top, nullptr);
    // As if a call had come from the slot above, so that the stack is aligned as in every function.
    top[-2] = reinterpret_cast<void*>(&fiber_main);
    f.place = top - 8;
#else
    getcontext(&f.place);
    f.place.uc_stack.ss_sp = f.stack;
    f.place.uc_stack.ss_size = stack_bytes;
    f.place.uc_link = nullptr;
    makecontext(&f.place, fiber_main, 0);
#endif
}

/// Lets lanes go on whose whole mask has arrived.
bool release_warp(unsigned first, unsigned count) {
    bool is_any = false;
    for (unsigned lane = 0; lane < count; ++lane) {
        const fiber& f = fibers[first + lane];
        if (f.state != fiber_state::at_lanes) continue;
        const unsigned kind = f.kind, mask = f.mask;
        bool is_whole = count == 32 || mask < (1u << count);
        unsigned ballot = 0;
        for (unsigned k = 0; k < count && is_whole; ++k) {
            if (!(mask >> k & 1)) continue;
            const fiber& other = fibers[first + k];
            is_whole = other.state == fiber_state::at_lanes && other.kind == kind && other.mask == mask;
            if (other.bits) ballot |= 1u << k;
        }
        if (!is_whole) continue;
        is_any = true;
        for (unsigned k = 0; k < count; ++k) {
            if (!(mask >> k & 1)) continue;
            fiber& other = fibers[first + k];
            other.state = fiber_state::ready;
            const bool is_source = other.source < count && (mask >> other.source & 1);
            other.result = kind == vote_ballot ? ballot
                           : is_source         ? fibers[first + other.source].bits
                                               : 0x0101010101010101ull * poison;
        }
    }
    return is_any;
}

bool release_block() {
    for (const fiber& f : fibers)
        if (f.state != fiber_state::at_barrier && f.state != fiber_state::done) return false;
    for (fiber& f : fibers)
        if (f.state == fiber_state::at_barrier) f.state = fiber_state::ready;
    return true;
}

/// Why nobody can go on.
[[noreturn]] void end_stuck() {
    for (unsigned t = 0; t < fibers.size(); ++t) {
        const fiber& f = fibers[t];
        if (f.state != fiber_state::at_lanes) continue;
        const unsigned first = t / 32 * 32, count = std::min<unsigned>(32, static_cast<unsigned>(fibers.size()) - first);
        for (unsigned k = 0; k < 32; ++k) {
            if (!(f.mask >> k & 1)) continue;
            const char* const why = k >= count                                             ? "which the block does not have"
                                    : fibers[first + k].state == fiber_state::done         ? "which has returned"
                                    : fibers[first + k].state == fiber_state::at_barrier   ? "which waits in __syncthreads"
                                    : fibers[first + k].mask != f.mask                     ? "which named another mask"
                                    : fibers[first + k].kind != f.kind                     ? "which is in another kind of collective"
                                                                                           : nullptr;
            if (!why) continue;
            char text[200];
            std::snprintf(text, sizeof(text), "thread %u waits in a shuffle, vote or __syncwarp of mask 0x%08x for lane %u, %s", t, f.mask, k, why);
            end_work(cu_launch_failed, text);
        }
    }
    end_work(cu_launch_failed, "threads wait for one another");
}

} // namespace

void run_fibers(const kernel_entry& kernel, kernel_state& state, void** parameters, unsigned threads, bool is_reversed) {
    kernel_now = &kernel;
    state_now = &state;
    parameters_now = parameters;
    fibers.resize(threads);
    while (stacks.size() < threads) stacks.push_back(new_stack());
    const index3 extent = state.block_extent;
    for (unsigned t = 0; t < threads; ++t) {
        fibers[t].stack = stacks[t];
        fibers[t].thread = {t % extent.x, t / extent.x % extent.y, t / (extent.x * extent.y)};
        prepare(fibers[t]);
    }
    while (true) {
        bool is_done = true;
        for (unsigned k = 0; k < threads; ++k) {
            fiber& f = fibers[is_reversed ? threads - 1 - k : k];
            if (f.state == fiber_state::ready) to_fiber(f);
            is_done = is_done && f.state == fiber_state::done;
        }
        if (is_done) return;
        bool is_released = false;
        for (unsigned first = 0; first < threads; first += 32)
            is_released = release_warp(first, std::min(32u, threads - first)) || is_released;
        if (!is_released && !release_block()) end_stuck();
    }
}

void leave_fibers() {
#if defined(SINTER_EMULATOR_ASAN)
    if (fiber_now) __sanitizer_start_switch_fiber(nullptr, scheduler_stack, scheduler_stack_bytes);
#endif
}

void arrive_from_fibers() {
#if defined(SINTER_EMULATOR_ASAN)
    if (fiber_now) __sanitizer_finish_switch_fiber(scheduler_sanitizer, nullptr, nullptr);
#endif
    fiber_now = nullptr;
#if defined(SINTER_EMULATOR_ASAN)
    // Frames that were left by the jump are no longer there.
    for (unsigned char* const stack : stacks) __asan_unpoison_memory_region(stack, stack_bytes);
#endif
}

void wait_block() {
    if (!fiber_now) end_work(cu_launch_failed, "a barrier outside of a kernel that was seen to have one");
    fiber_now->state = fiber_state::at_barrier;
    to_scheduler(false);
}

unsigned long long wait_lanes(unsigned kind, unsigned mask, unsigned long long bits, unsigned source) {
    if (!fiber_now) end_work(cu_launch_failed, "a shuffle outside of a kernel that was seen to have one");
    fiber& f = *fiber_now;
    const auto lane = static_cast<unsigned>(&f - fibers.data()) % 32;
    if (!(mask >> lane & 1)) {
        char text[120];
        std::snprintf(text, sizeof(text), "lane %u is in a shuffle, vote or __syncwarp whose mask 0x%08x does not name it", lane, mask);
        end_work(cu_launch_failed, text);
    }
    f.kind = kind;
    f.mask = mask;
    f.bits = bits;
    f.source = source;
    f.state = fiber_state::at_lanes;
    to_scheduler(false);
    return f.result;
}

} // namespace sinter::detail::jit::emulator

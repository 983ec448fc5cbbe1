// sinter/host/isa.hpp -- stage 4: the instruction sets a kernel is compiled for, and the one chosen at run time.
//
// Every kernel is instantiated once for each instruction set; SINTER_ISA=v4|v3|v1 forces one (it must be one that the
// processor has). Packet code is always_inline and carries no target of its own: it takes the target of the kernel
// entry that it is inlined into, so a program needs no -march flag.
#pragma once

#include <cstddef>

// Packets never cross a function that is not inlined, so the calling convention for them does not matter.
#pragma GCC diagnostic ignored "-Wpsabi"

#define SINTER_INLINE [[gnu::always_inline]] inline

#if defined(__x86_64__)
#    define SINTER_X86 1
#    if defined(__clang__)
// Without the second attribute clang splits 512-bit packets into halves.
#        define SINTER_TARGET_V4 __attribute__((target("arch=x86-64-v4"), min_vector_width(512)))
#    else
#        define SINTER_TARGET_V4 __attribute__((target("arch=x86-64-v4")))
#    endif
#    define SINTER_TARGET_V3 __attribute__((target("arch=x86-64-v3")))
#else
#    define SINTER_X86 0
#    define SINTER_TARGET_V4
#    define SINTER_TARGET_V3
#endif

namespace sinter::detail {

/// The x86-64 microarchitecture levels that kernels are compiled for: AVX-512, AVX2 with FMA, and the baseline.
/// On other architectures only v1 exists, and means what the compiler's flags say.
enum class isa { v1, v3, v4 };

/// Chosen at the first use: the best that the processor has, or what SINTER_ISA names.
isa choose_isa();

/// The instruction set that kernels of this process run with.
inline isa active_isa() {
    static const isa chosen = choose_isa();
    return chosen;
}
const char* isa_name(isa level);

constexpr std::size_t packet_bytes(isa level) {
    return level == isa::v4 ? 64 : level == isa::v3 ? 32 : 16;
}

#if SINTER_X86
// g++ declares the builtins of an instruction set when it first meets a function with that target.
SINTER_TARGET_V4 inline void declare_builtins_v4() {}
SINTER_TARGET_V3 inline void declare_builtins_v3() {}
#endif

/// What all packets of one kernel have in common: how many lanes, and for which instruction set.
template <isa Level, int Lanes>
struct width {
    static constexpr isa level = Level;
    static constexpr int lanes = Lanes;
    /// Whether fma() is one instruction here.
    static constexpr bool has_fma = Level != isa::v1;
};

} // namespace sinter::detail

// lib/isa.cpp -- which instruction set the kernels of this process use.

#include <cstdlib>
#include <string>

#include <sinter/core/error.hpp>
#include <sinter/host/isa.hpp>

namespace sinter::detail {
namespace {

bool supported(isa level) {
#if SINTER_X86
    __builtin_cpu_init();
    const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    if (level == isa::v3) return v3;
    if (level == isa::v4)
        return v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#endif
    return level == isa::v1;
}

} // namespace

const char* isa_name(isa level) {
    constexpr const char* names[] = {"v1", "v3", "v4"};
    return names[static_cast<int>(level)];
}

isa choose_isa() {
    isa best = isa::v1;
    for (const isa level : {isa::v3, isa::v4})
        if (supported(level)) best = level;
    const char* const wanted = std::getenv("SINTER_ISA");
    if (!wanted || !*wanted) return best;
    for (const isa level : {isa::v1, isa::v3, isa::v4}) {
        if (std::string(wanted) != isa_name(level)) continue;
        if (!supported(level))
            throw error("SINTER_ISA=" + std::string(wanted) + ": this processor has at most " + isa_name(best));
        return level;
    }
    throw error("SINTER_ISA=" + std::string(wanted) + " is not an instruction set: use v4, v3 or v1");
}

} // namespace sinter::detail

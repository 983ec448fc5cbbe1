// jit/emulator/rewrite.hpp -- CUDA source as C++ that the host compiler takes: little changes, and no line moves.
#pragma once

#include <string>
#include <vector>

namespace sinter::detail::jit::emulator {

struct kernel_found {
    std::string name;
    std::string greatest_block; // an expression; empty: no launch bounds
};

struct rewritten_source {
    std::string text;
    std::vector<kernel_found> kernels; // those with C's names
    bool is_collective = false;        // has barriers, shuffles or votes
};

/// What a kernel is called inside its object, where its own name may be that of a mathematical function.
inline constexpr char kernel_prefix[] = "emulated_";

rewritten_source rewrite(const std::string& source);

/// The table of the kernels, to follow the source.
std::string table_text(const rewritten_source& source);

} // namespace sinter::detail::jit::emulator

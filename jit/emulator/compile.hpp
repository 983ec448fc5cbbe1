// jit/emulator/compile.hpp -- kernels through the host's C++ compiler.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace sinter::detail::jit::emulator {

struct compile_request {
    std::string source;
    std::string name; // what messages call it
    std::vector<std::pair<std::string, std::string>> headers; // name and text
    std::string standard = "c++17";
    int architecture = 52;
};

struct compile_result {
    bool is_compiled = false;
    std::string log;
    std::string image;
};

compile_result compile(const compile_request& request);

} // namespace sinter::detail::jit::emulator

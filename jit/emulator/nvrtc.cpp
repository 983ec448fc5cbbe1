// jit/emulator/nvrtc.cpp -- the emulated NVRTC: programs, options and logs; compile.cpp does the work.

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <set>
#include <string_view>

#include "compile.hpp"
#include "entries.hpp"

namespace sinter::detail::jit {
namespace {

using namespace emulator;

enum status { success = 0, invalid_input = 3, invalid_program = 4, invalid_option = 5 };

constexpr std::array architectures = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};

struct program {
    compile_request request;
    std::string log, image, ptx;
    bool is_compiled = false;
};

std::mutex mutex;
std::set<program*> programs;

program* known(nvrtc_program handle) {
    const std::lock_guard lock(mutex);
    auto* const p = reinterpret_cast<program*>(handle);
    return programs.count(p) ? p : nullptr;
}

/// Both spellings of an option: --name and -name; the value, if it has one, after '='.
bool take_option(std::string_view option, compile_request& request, std::string& log) {
    std::string_view name = option;
    while (name.substr(0, 1) == "-" && option.size() - name.size() < 2) name.remove_prefix(1);
    std::string_view value;
    if (const auto at = name.find('='); at != name.npos) {
        value = name.substr(at + 1);
        name = name.substr(0, at);
    }
    if (name == "gpu-architecture" || name == "arch") {
        for (const int a : architectures) {
            if (value != "sm_" + std::to_string(a) && value != "compute_" + std::to_string(a) && value != "sm_" + std::to_string(a) + "a") continue;
            request.architecture = a;
            return true;
        }
    } else if (name == "std") {
        if (value == "c++11" || value == "c++14" || value == "c++17" || value == "c++20") {
            // What follows a kernel needs C++17, and earlier code is valid there.
            request.standard = value == "c++20" ? "c++20" : "c++17";
            return true;
        }
    } else if (name == "lineinfo" || name == "generate-line-info" || name == "use_fast_math" || name == "default-device" ||
               name == "device-int128") {
        if (value.empty()) return true;
    } else if (name == "ptxas-options" || name == "Xptxas") {
        return true;
    } else if (name == "fmad") {
        if (value == "true" || value == "false") return true;
    } else {
        log = "nvrtc: error: unrecognized option " + std::string(option) + " found\n";
        return false;
    }
    log = "nvrtc: error: invalid value for option " + std::string(option) + "\n";
    return false;
}

int copy_out(const std::string& text, char* to, bool is_text) {
    if (!to) return invalid_input;
    std::memcpy(to, text.data(), text.size());
    if (is_text) to[text.size()] = 0;
    return success;
}

} // namespace

extern "C" {

int nvrtcVersion(int* major, int* minor) {
    if (!major || !minor) return invalid_input;
    *major = 13;
    *minor = 0;
    return success;
}

int nvrtcGetNumSupportedArchs(int* count) {
    if (!count) return invalid_input;
    *count = static_cast<int>(architectures.size());
    return success;
}

int nvrtcGetSupportedArchs(int* supported) {
    if (!supported) return invalid_input;
    std::copy(architectures.begin(), architectures.end(), supported);
    return success;
}

int nvrtcCreateProgram(nvrtc_program* handle, const char* source, const char* name, int header_count, const char* const* headers,
                       const char* const* header_names) {
    if (!handle || !source || header_count < 0 || (header_count > 0 && (!headers || !header_names))) return invalid_input;
    auto* const p = new program;
    p->request.source = source;
    p->request.name = name && *name ? name : "default_program";
    for (int k = 0; k < header_count; ++k) p->request.headers.emplace_back(header_names[k], headers[k]);
    const std::lock_guard lock(mutex);
    programs.insert(p);
    *handle = reinterpret_cast<nvrtc_program>(p);
    return success;
}

int nvrtcDestroyProgram(nvrtc_program* handle) {
    if (!handle) return invalid_program;
    const std::lock_guard lock(mutex);
    auto* const p = reinterpret_cast<program*>(*handle);
    if (programs.erase(p) == 0) return invalid_program;
    delete p;
    *handle = nullptr;
    return success;
}

int nvrtcCompileProgram(nvrtc_program handle, int option_count, const char* const* options) {
    program* const p = known(handle);
    if (!p) return invalid_program;
    if (option_count < 0 || (option_count > 0 && !options)) return invalid_input;
    p->is_compiled = false;
    for (int k = 0; k < option_count; ++k)
        if (!take_option(options[k], p->request, p->log)) return invalid_option;
    if (sinter_emulator_fails_compile()) {
        p->log = p->request.name + "(1): error: injected failure of the emulator\n";
        return nvrtc_compilation_failed;
    }
    compile_result r = compile(p->request);
    p->log = std::move(r.log);
    p->image = std::move(r.image);
    p->is_compiled = r.is_compiled;
    p->ptx = "// Made by sinter's emulator: there is no PTX; the machine code is that of the host, of " + p->request.name + ".\n";
    return p->is_compiled ? static_cast<int>(success) : static_cast<int>(nvrtc_compilation_failed);
}

int nvrtcGetCUBINSize(nvrtc_program handle, std::size_t* bytes) {
    const program* const p = known(handle);
    if (!p || !p->is_compiled) return invalid_program;
    if (!bytes) return invalid_input;
    *bytes = p->image.size();
    return success;
}

int nvrtcGetCUBIN(nvrtc_program handle, char* image) {
    const program* const p = known(handle);
    if (!p || !p->is_compiled) return invalid_program;
    return copy_out(p->image, image, false);
}

int nvrtcGetPTXSize(nvrtc_program handle, std::size_t* bytes) {
    const program* const p = known(handle);
    if (!p || !p->is_compiled) return invalid_program;
    if (!bytes) return invalid_input;
    *bytes = p->ptx.size() + 1;
    return success;
}

int nvrtcGetPTX(nvrtc_program handle, char* text) {
    const program* const p = known(handle);
    if (!p || !p->is_compiled) return invalid_program;
    return copy_out(p->ptx, text, true);
}

int nvrtcGetProgramLogSize(nvrtc_program handle, std::size_t* bytes) {
    const program* const p = known(handle);
    if (!p) return invalid_program;
    if (!bytes) return invalid_input;
    *bytes = p->log.size() + 1;
    return success;
}

int nvrtcGetProgramLog(nvrtc_program handle, char* text) {
    const program* const p = known(handle);
    return p ? copy_out(p->log, text, true) : static_cast<int>(invalid_program);
}

} // extern "C"
} // namespace sinter::detail::jit

// jit/driver.cpp -- stage 6: opening the three libraries, and statuses as exceptions.

#include "driver.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <string_view>
#include <vector>

#include <sinter/core/error.hpp>

namespace sinter::detail::jit {
namespace {

const char* environment(const char* name) {
    const char* const r = std::getenv(name);
    return r && *r ? r : nullptr;
}

/// The folders in which the emulator's libraries may lie: as the environment says, or beside this library: where it is installed,
/// or built.
std::vector<std::string> emulator_folders() {
    if (const char* const folder = environment("SINTER_EMULATOR_LIBRARIES")) return {std::string(folder) + "/"};
    Dl_info own;
    std::string folder;
    if (dladdr(reinterpret_cast<void*>(&emulator_folders), &own) && own.dli_fname) {
        folder = own.dli_fname;
        folder.resize(folder.find_last_of('/') + 1);
    }
    return {folder + "sinter/", folder, folder + "jit/emulator/"};
}

struct library {
    void* handle = nullptr;
    driver_table::opened found;
};

library open_first(const std::vector<std::string>& names, const std::string& how_to_get_it) {
    library r;
    for (const std::string& name : names) {
        r.handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (r.handle) {
            r.found = {name, ""};
            return r;
        }
        r.found.problem += (r.found.problem.empty() ? "tried " : ", ") + name;
    }
    r.found.problem += ": " + how_to_get_it;
    return r;
}

/// As the environment names it, or one of the given files.
library open_library(const char* variable, const char* emulated_name, bool emulated, std::vector<std::string> files, const char* how_to_get_it) {
    if (const char* const chosen = environment(variable))
        return open_first({chosen}, std::string("the file that ") + variable + " names cannot be opened");
    if (!emulated) return open_first(files, how_to_get_it);
    files.clear();
    for (const std::string& folder : emulator_folders()) files.push_back(folder + "libsinter-emulator-" + emulated_name + ".so");
    return open_first(files, "SINTER_CUDA_EMULATOR is set, and sinter's emulator is not where sinter is installed; "
                             "SINTER_EMULATOR_LIBRARIES names its folder");
}

driver_table open_all() {
    driver_table t;
    const char* const wanted = environment("SINTER_CUDA_EMULATOR");
    t.emulated = wanted && std::string_view(wanted) != "0";
    library driver = open_library("SINTER_CUDA_DRIVER", "driver", t.emulated, {"libcuda.so.1", "libcuda.so"},
                                  "install the NVIDIA driver (nvidia-driver), or set SINTER_CUDA_EMULATOR=1 to run on the host");
    library nvrtc = open_library("SINTER_NVRTC", "nvrtc", t.emulated,
                                 {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", "/usr/local/cuda/lib64/libnvrtc.so"},
                                 "install the CUDA toolkit (nvidia-cuda-toolkit, or cuda-nvrtc), or name the file in SINTER_NVRTC");
    library cublas = open_library("SINTER_CUBLAS", "cublas", t.emulated,
                                  {"libcublas.so.13", "libcublas.so.12", "libcublas.so", "/usr/local/cuda/lib64/libcublas.so"},
                                  "install the CUDA toolkit (nvidia-cuda-toolkit, or libcublas), or name the file in SINTER_CUBLAS");
    const auto entry = [](library& from, const char* name) {
        void* const r = from.handle ? dlsym(from.handle, name) : nullptr;
        if (from.handle && !r && from.found.problem.empty())
            from.found.problem = from.found.path + " has no " + name + ": it is older than CUDA 12, the oldest that sinter uses";
        return r;
    };
#define SINTER_ENTRY(library, name, parameters) t.name = reinterpret_cast<decltype(t.name)>(entry(library, #name));
#include "driver.def"
    t.driver_library = driver.found;
    t.nvrtc_library = nvrtc.found;
    t.cublas_library = cublas.found;
    return t;
}

void require(const driver_table::opened& library, const char* what) {
    if (!library.problem.empty()) throw device_error(std::string(what) + " is missing: " + library.problem);
}

std::string status_text(int status, std::string_view call) {
    const std::string number = "status " + std::to_string(status);
    const driver_table& d = drivers();
    if (call.starts_with("cublas") || call.starts_with("nvrtc") || !d.cuGetErrorName) return number;
    const char *name = nullptr, *text = nullptr;
    if (d.cuGetErrorName(status, &name) != 0 || d.cuGetErrorString(status, &text) != 0 || !name || !text) return number;
    return std::string(text) + " (" + name + ")";
}

} // namespace

const driver_table& drivers() {
    static const driver_table table = open_all();
    return table;
}

void require_driver() {
    require(drivers().driver_library, "the CUDA driver");
}
void require_nvrtc() {
    require(drivers().nvrtc_library, "NVRTC, which compiles kernels,");
}
void require_cublas() {
    require(drivers().cublas_library, "cuBLAS, which multiplies matrices,");
}

void check(int status, const char* call) {
    if (status == 0) return;
    const std::string message = std::string(call) + ": " + status_text(status, call);
    if (std::string_view(call).starts_with("cu") && !std::string_view(call).starts_with("cublas") && status == cu_out_of_memory)
        throw out_of_memory(message);
    throw device_error(message);
}

} // namespace sinter::detail::jit

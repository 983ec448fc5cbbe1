// tests/jit/compile.cpp -- compiling kernels: what comes back, errors, threads and processes that want one kernel, the disk cache.

#include <doctest/doctest.h>

#include <algorithm>
#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <sinter/core/error.hpp>

#include "../../jit/compile.hpp"
#include "../../jit/driver.hpp"
#include "own_process.hpp"

namespace {

using namespace sinter::detail::jit;
namespace fs = std::filesystem;

// Before the libraries are opened. The real compiler's tests run in a process that has it set to 0.
[[maybe_unused]] const bool is_emulated = setenv("SINTER_CUDA_EMULATOR", "1", 0) == 0;

const compile_options plain{90, false, false};

std::string kernel(const std::string& value) {
    return "extern \"C\" __global__ void k(float* out)\n{\n    out[threadIdx.x] = " + value + ";\n}\n";
}

std::string new_folder() {
    std::string r = fs::temp_directory_path() / "sinter-compile-XXXXXX";
    REQUIRE(mkdtemp(r.data()));
    return r;
}

/// An empty disk cache, gone with the object.
struct temporary_cache {
    const std::string path = new_folder();

    temporary_cache() { setenv("SINTER_CACHE_DIR", path.c_str(), 1); }
    ~temporary_cache() {
        std::error_code ignored;
        fs::remove_all(path, ignored);
    }
    temporary_cache(const temporary_cache&) = delete;
    temporary_cache& operator=(const temporary_cache&) = delete;
    void clear() const {
        for (const auto& entry : fs::directory_iterator(path)) fs::remove(entry);
    }
};

template <class Function>
Function emulator_function(const char* name) {
    void* const library = dlopen(drivers().driver_library.path.c_str(), RTLD_NOW | RTLD_NOLOAD);
    REQUIRE(library);
    return reinterpret_cast<Function>(dlsym(library, name));
}
long long compiles() {
    return emulator_function<long long (*)(const char*)>("sinter_emulator_live")("compiles");
}
void fail_next_compile() {
    emulator_function<void (*)(const char*, long long)>("sinter_emulator_inject")("compile", 1);
}

bool has(const std::string& text, const std::string& part) {
    if (text.find(part) != std::string::npos) return true;
    MESSAGE(text);
    return false;
}

/// The message of the compile_error that a call throws.
std::string message_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const sinter::compile_error& e) {
        return e.what();
    }
    return "nothing was thrown";
}

/// What a number of threads get that ask at the same time; null where compile_error was thrown.
std::vector<std::shared_ptr<const machine_code>> at_once(const std::vector<std::string>& sources) {
    std::vector<std::shared_ptr<const machine_code>> r(sources.size());
    std::barrier all(static_cast<std::ptrdiff_t>(sources.size()));
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < sources.size(); ++i)
        threads.emplace_back([&, i] {
            all.arrive_and_wait();
            try {
                r[i] = machine_code_of(sources[i], "k", plain);
            } catch (const sinter::compile_error&) {
            }
        });
    for (std::thread& t : threads) t.join();
    return r;
}

} // namespace

TEST_CASE("a kernel compiles to machine code and to text") {
    const machine_code code = compile(kernel("1"), "k", plain);
    CHECK(!code.image.empty());
    CHECK(code.log.empty());
    CHECK(code.resources.registers == -1); // the emulator does not say
    const std::string text = compile_to_ptx(kernel("1"), "k", plain);
    CHECK(!text.empty());
    CHECK(text.find('\0') == std::string::npos);
    const std::vector<int> architectures = supported_architectures();
    CHECK(std::is_sorted(architectures.begin(), architectures.end()));
    CHECK(std::find(architectures.begin(), architectures.end(), 90) != architectures.end());
}

TEST_CASE("a kernel that does not compile throws the log and the numbered source, and poisons nothing") {
    const temporary_cache cache;
    for (const auto& call : std::vector<std::function<void()>>{[] { compile(kernel("no_such"), "k", plain); },
                                                               [] { compile_to_ptx(kernel("no_such"), "k", plain); },
                                                               [] { machine_code_of(kernel("no_such"), "k", plain); },
                                                               [] { machine_code_of(kernel("no_such"), "k", plain); }}) {
        const std::string message = message_of(call);
        CHECK(has(message, "kernel k did not compile"));
        CHECK(has(message, "error: "));
        CHECK(has(message, "k.cu:3"));
        CHECK(has(message, "   1  extern \"C\" __global__ void k(float* out)\n   2  {\n   3      out[threadIdx.x] = no_such;\n   4  }\n"));
    }
    CHECK(fs::is_empty(cache.path));
    CHECK(!machine_code_of(kernel("2"), "k", plain)->image.empty());
}

TEST_CASE("an option that the compiler refuses is named") {
    const std::string message = message_of([] { compile(kernel("1"), "k", {.architecture = 1}); });
    CHECK(has(message, "--gpu-architecture=sm_1 "));
}

TEST_CASE("a failure of the compiler is not remembered") {
    const temporary_cache cache;
    fail_next_compile();
    CHECK(has(message_of([] { machine_code_of(kernel("3"), "k", plain); }), "injected"));
    CHECK(!machine_code_of(kernel("3"), "k", plain)->image.empty());
    fail_next_compile();
    CHECK(has(message_of([] { compile(kernel("3"), "k", plain); }), "injected"));
    CHECK(!compile(kernel("3"), "k", plain).image.empty());
}

TEST_CASE("the second call takes the kernel from disk") {
    const temporary_cache cache;
    const long long before = compiles();
    const auto first = machine_code_of(kernel("4"), "k", plain);
    CHECK(compiles() == before + 1);
    const auto second = machine_code_of(kernel("4"), "k", plain);
    CHECK(compiles() == before + 1);
    CHECK(second->image == first->image);
    CHECK(second->log == first->log);
    CHECK(second->resources.registers == first->resources.registers);
    for (const compile_options& other : {compile_options{80, false, false}, compile_options{90, true, false}, compile_options{90, false, true}})
        machine_code_of(kernel("4"), "k", other);
    CHECK(compiles() == before + 4);
    cache.clear();
    machine_code_of(kernel("4"), "k", plain);
    CHECK(compiles() == before + 5);
    compile(kernel("4"), "k", plain); // always compiles
    CHECK(compiles() == before + 6);
}

TEST_CASE("threads that ask for one source compile it once") {
    const temporary_cache cache;
    const long long before = compiles();
    const auto all = at_once(std::vector(8, kernel("5")));
    CHECK(compiles() == before + 1);
    for (const auto& code : all) CHECK((code && !code->image.empty() && code->image == all[0]->image));
}

TEST_CASE("a failure is that of the thread which compiled, and the others compile anew") {
    const temporary_cache cache;
    const long long before = compiles();
    fail_next_compile();
    const auto all = at_once(std::vector(8, kernel("6")));
    CHECK(compiles() == before + 2);
    CHECK(std::count(all.begin(), all.end(), nullptr) == 1);
    const auto bad = at_once(std::vector(4, kernel("no_such"))); // nobody waits for ever
    CHECK(std::count(bad.begin(), bad.end(), nullptr) == 4);
}

TEST_CASE("different sources compile side by side") {
    const temporary_cache cache;
    // A compiler that ends well only when another runs at the same time.
    const std::string folder = new_folder(), script = folder + "/compiler";
    std::ofstream(script) << "#!/bin/sh\n: > " << folder << "/run.$$\nn=0\n"
                          << "while [ $(ls " << folder << "/run.* | wc -l) -lt 2 ]; do n=$((n+1)); [ $n -gt 600 ] && exit 1; sleep 0.1; done\n"
                          << "for c in g++ c++ clang++; do command -v $c > /dev/null && exec $c \"$@\"; done\n";
    fs::permissions(script, fs::perms::owner_all);
    setenv("SINTER_EMULATOR_CXX", script.c_str(), 1);
    const auto both = at_once({kernel("7"), kernel("8")});
    unsetenv("SINTER_EMULATOR_CXX");
    fs::remove_all(folder);
    for (const auto& code : both) CHECK(code);
}

TEST_CASE("processes that compile one kernel at once all get it, and leave one entry") {
    const temporary_cache cache;
    const long long before = compiles();
    std::vector<pid_t> children;
    for (int k = 0; k < 2; ++k) {
        children.push_back(fork());
        if (children.back() == 0) _exit(machine_code_of(kernel("9"), "k", plain)->image.empty());
    }
    for (const pid_t child : children) {
        int status = -1;
        waitpid(child, &status, 0);
        CHECK(status == 0);
    }
    CHECK(!machine_code_of(kernel("9"), "k", plain)->image.empty());
    CHECK(compiles() == before);
    CHECK(std::distance(fs::directory_iterator(cache.path), fs::directory_iterator()) == 1);
}

TEST_CASE("without a folder for the disk cache all is compiled") {
    const temporary_cache cache;
    setenv("SINTER_CACHE_DIR", "/dev/null/none", 1);
    const long long before = compiles();
    for (int k = 0; k < 2; ++k) CHECK(!machine_code_of(kernel("10"), "k", plain)->image.empty());
    CHECK(compiles() == before + 2);
}

// ---- NVIDIA's compiler, where it is installed: this program once more, with the tests that are skipped otherwise

TEST_CASE("NVIDIA's compiler agrees") {
    const bool is_there = [] {
        for (const char* const name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", "/usr/local/cuda/lib64/libnvrtc.so"})
            if (dlopen(name, RTLD_LAZY | RTLD_LOCAL)) return true;
        return false;
    }();
    if (!is_there) {
        MESSAGE("skipped: there is no NVRTC");
        return;
    }
    check_in_process("NVRTC: *", "SINTER_CUDA_EMULATOR=0 ASAN_OPTIONS=detect_leaks=0", 3);
}

TEST_CASE("NVRTC: a kernel compiles and what it takes is known" * doctest::skip()) {
    const machine_code code = compile(kernel("1"), "k", plain);
    CHECK(code.image.substr(0, 4) == "\x7f" "ELF");
    CHECK(code.log == "");
    CHECK(code.resources.registers > 0);
    CHECK(code.resources.shared_bytes == 0);
    CHECK(code.resources.local_bytes == 0);
    CHECK(code.resources.spill_bytes == 0);
    const machine_code shared = compile("extern \"C\" __global__ void k(float* out)\n{\n    __shared__ float s[256];\n    int unused;\n"
                                        "    s[threadIdx.x] = out[threadIdx.x];\n    __syncthreads();\n    out[threadIdx.x] = s[255 - threadIdx.x];\n}\n", "k", plain);
    CHECK(shared.resources.shared_bytes == 1024);
    CHECK(has(shared.log, "unused"));
    CHECK(shared.log.find("ptxas") == std::string::npos);
    const machine_code spilling = compile("extern \"C\" __global__ void __launch_bounds__(1024, 2) k(float* out)\n{\n    float a[200];\n"
                                          "    #pragma unroll\n    for (int i = 0; i < 200; ++i) a[i] = out[i * 32];\n    #pragma unroll\n"
                                          "    for (int i = 0; i < 200; ++i) out[i * 64] = a[i] * a[199 - i] + a[i / 2];\n}\n", "k", plain);
    CHECK(spilling.resources.spill_bytes > 0);
}

TEST_CASE("NVRTC: its text is PTX and shows the options" * doctest::skip()) {
    const std::string ptx = compile_to_ptx(kernel("out[2] / out[1]"), "k", plain);
    CHECK(has(ptx, ".entry k("));
    CHECK(ptx.find('\0') == std::string::npos);
    CHECK(ptx.find(".loc") == std::string::npos);
    CHECK(has(ptx, "div.rn.f32"));
    CHECK(has(compile_to_ptx(kernel("out[2] / out[1]"), "k", {90, true, false}), ".approx.ftz.f32"));
    CHECK(has(compile_to_ptx(kernel("out[2] / out[1]"), "k", {90, false, true}), ".loc"));
}

TEST_CASE("NVRTC: errors and the disk cache are the same" * doctest::skip()) {
    const temporary_cache cache;
    const std::string message = message_of([] { compile(kernel("no_such"), "k", plain); });
    CHECK(has(message, "k.cu(3): error: "));
    CHECK(has(message, "   3      out[threadIdx.x] = no_such;\n"));
    CHECK(has(message_of([] { compile(kernel("1"), "k", {.architecture = 1}); }), "--gpu-architecture=sm_1 "));
    const auto first = machine_code_of(kernel("1"), "k", plain), second = machine_code_of(kernel("1"), "k", plain);
    CHECK(first->image == second->image);
    CHECK(second->resources.registers == first->resources.registers);
    CHECK(std::distance(fs::directory_iterator(cache.path), fs::directory_iterator()) == 1);
    const std::vector<int> architectures = supported_architectures();
    CHECK(std::find(architectures.begin(), architectures.end(), 90) != architectures.end());
}

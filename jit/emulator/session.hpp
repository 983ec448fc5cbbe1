// jit/emulator/session.hpp -- the emulated libraries as a test uses them: opened, with a context, a stream and kernels.
//
// SINTER_EMULATOR_LIBRARIES names the folder of the three libraries. What a test does not expect to fail throws.
#pragma once

#include <cstdlib>
#include <dlfcn.h>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "../driver.hpp"

namespace sinter::detail::jit::emulator {

inline void expect(bool is_well, const std::string& what) {
    if (!is_well) throw std::runtime_error("the emulator: " + what);
}

struct libraries : driver_table {
    void (*inject)(const char*, long long) = nullptr;
    long long (*live)(const char*) = nullptr;

    libraries() {
        const char* const folder = std::getenv("SINTER_EMULATOR_LIBRARIES");
        const auto open = [&](const char* name) {
            const std::string path = std::string(folder ? folder : ".") + "/libsinter-emulator-" + name + ".so";
            void* const r = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
            expect(r != nullptr, r ? "" : dlerror());
            return r;
        };
        void *const driver = open("driver"), *const nvrtc = open("nvrtc"), *const cublas = open("cublas");
#define SINTER_ENTRY(library, name, parameters)                                                                        \
    name = reinterpret_cast<decltype(name)>(dlsym(library, #name));                                                    \
    expect(name != nullptr, #name);
#include "../driver.def"
        inject = reinterpret_cast<decltype(inject)>(dlsym(driver, "sinter_emulator_inject"));
        live = reinterpret_cast<decltype(live)>(dlsym(driver, "sinter_emulator_live"));
        expect(cuInit(0) == 0, "cuInit");
    }
};

inline const libraries& cuda() {
    static const libraries one;
    return one;
}

struct compiled {
    int status = 0;
    std::string log, image;
};

inline compiled compile_program(const std::string& source, std::vector<const char*> options = {"--gpu-architecture=sm_90", "--std=c++17"}) {
    compiled r;
    nvrtc_program p = nullptr;
    expect(cuda().nvrtcCreateProgram(&p, source.c_str(), "kernels/program.cu", 0, nullptr, nullptr) == 0, "nvrtcCreateProgram");
    r.status = cuda().nvrtcCompileProgram(p, static_cast<int>(options.size()), options.data());
    std::size_t bytes = 0;
    expect(cuda().nvrtcGetProgramLogSize(p, &bytes) == 0 && bytes > 0, "nvrtcGetProgramLogSize");
    r.log.resize(bytes);
    expect(cuda().nvrtcGetProgramLog(p, r.log.data()) == 0, "nvrtcGetProgramLog");
    r.log.pop_back();
    if (r.status == 0) {
        expect(cuda().nvrtcGetCUBINSize(p, &bytes) == 0, "nvrtcGetCUBINSize");
        r.image.resize(bytes);
        expect(cuda().nvrtcGetCUBIN(p, r.image.data()) == 0, "nvrtcGetCUBIN");
    }
    expect(cuda().nvrtcDestroyProgram(&p) == 0, "nvrtcDestroyProgram");
    return r;
}

/// A context, which ends with the object, and a stream in it.
struct session {
    int device;
    cu_context context = nullptr;
    cu_stream stream = nullptr;

    explicit session(int device_ = 0) : device(device_) {
        expect(cuda().cuDevicePrimaryCtxRetain(&context, device) == 0, "cuDevicePrimaryCtxRetain");
        expect(cuda().cuCtxSetCurrent(context) == 0, "cuCtxSetCurrent");
        expect(cuda().cuStreamCreate(&stream, cu_stream_non_blocking) == 0, "cuStreamCreate");
    }
    ~session() {
        cuda().cuDevicePrimaryCtxRelease_v2(device);
        cuda().cuCtxSetCurrent(nullptr);
    }
    session(const session&) = delete;
    session& operator=(const session&) = delete;

    cu_function kernel(const std::string& source, const char* name = "k") const {
        const compiled c = compile_program(source);
        expect(c.status == 0 && c.log.empty(), c.log);
        cu_module m = nullptr;
        cu_function r = nullptr;
        expect(cuda().cuModuleLoadData(&m, c.image.data()) == 0, "cuModuleLoadData");
        expect(cuda().cuModuleGetFunction(&r, m, name) == 0, "cuModuleGetFunction");
        return r;
    }
    cu_address allocate(std::size_t bytes) const {
        cu_address r = 0;
        expect(cuda().cuMemAllocAsync(&r, bytes, stream) == 0, "cuMemAllocAsync");
        return r;
    }
    cu_address upload(const std::vector<float>& values) const {
        const cu_address r = allocate(values.size() * 4);
        expect(cuda().cuMemcpyHtoDAsync_v2(r, values.data(), values.size() * 4, stream) == 0, "cuMemcpyHtoDAsync");
        return r;
    }
    /// Waits for it.
    template <class T = float>
    std::vector<T> download(cu_address from, std::size_t n) const {
        std::vector<T> r(n);
        expect(cuda().cuMemcpyDtoHAsync_v2(r.data(), from, n * sizeof(T), stream) == 0, "cuMemcpyDtoHAsync");
        expect(synchronize() == 0, "cuStreamSynchronize");
        return r;
    }
    int synchronize() const { return cuda().cuStreamSynchronize(stream); }

    template <class... P>
    int launch(cu_function f, unsigned blocks, unsigned threads, P... parameters) const {
        void* pointers[] = {&parameters..., nullptr};
        return cuda().cuLaunchKernel(f, blocks, 1, 1, threads, 1, 1, 0, stream, pointers, nullptr);
    }
};

/// What a child process writes to standard error; how it ends.
template <class Body>
std::pair<std::string, int> in_child(const Body& body) {
    int ends[2];
    expect(pipe(ends) == 0, "pipe");
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 2);
        for (const int end : ends) close(end);
        body();
        _exit(0);
    }
    close(ends[1]);
    std::string text;
    char part[1024];
    for (ssize_t n; (n = read(ends[0], part, sizeof(part))) > 0;) text.append(part, static_cast<std::size_t>(n));
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    return {text, status};
}

} // namespace sinter::detail::jit::emulator

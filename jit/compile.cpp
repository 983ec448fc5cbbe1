// jit/compile.cpp -- stage 5: NVRTC: options, errors that show the source, and the report of what a kernel takes.

#include "compile.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <condition_variable>
#include <map>
#include <mutex>
#include <utility>

#include <sinter/core/error.hpp>

#include "cache.hpp"
#include "driver.hpp"

namespace sinter::detail::jit {
namespace {

class program {
public:
    program(const std::string& source, const std::string& kernel) {
        SINTER_CUDA(nvrtcCreateProgram, &program_, source.c_str(), (kernel + ".cu").c_str(), 0, nullptr, nullptr);
    }
    ~program() { drivers().nvrtcDestroyProgram(&program_); }
    program(const program&) = delete;
    program& operator=(const program&) = delete;

    int compile(const std::vector<std::string>& options) {
        std::vector<const char*> pointers;
        for (const std::string& option : options) pointers.push_back(option.c_str());
        return drivers().nvrtcCompileProgram(program_, static_cast<int>(pointers.size()), pointers.data());
    }
    template <class Size, class Get>
    std::string result(Size size, Get get, const char* call) const {
        std::size_t bytes = 0;
        check(size(program_, &bytes), call);
        std::string r(bytes, '\0');
        if (bytes > 0) check(get(program_, r.data()), call);
        return r;
    }
    std::string log() const {
        std::string r = result(drivers().nvrtcGetProgramLogSize, drivers().nvrtcGetProgramLog, "nvrtcGetProgramLog");
        while (!r.empty() && (r.back() == '\0' || r.back() == '\n')) r.pop_back();
        return r;
    }

private:
    nvrtc_program program_ = nullptr;
};

std::vector<std::string> option_list(const compile_options& options) {
    std::vector<std::string> r{"--gpu-architecture=sm_" + std::to_string(options.architecture), "--std=c++17", "--ptxas-options=-v"};
    if (options.fast_math) r.emplace_back("--use_fast_math");
    if (options.line_info) r.emplace_back("--generate-line-info");
    return r;
}

std::string joined(const std::vector<std::string>& words) {
    std::string r;
    for (const std::string& word : words) r += (r.empty() ? "" : " ") + word;
    return r;
}

std::string with_line_numbers(const std::string& source) {
    std::string r;
    int number = 0;
    for (std::size_t at = 0; at < source.size();) {
        const std::size_t end = std::min(source.find('\n', at), source.size());
        const std::string digits = std::to_string(++number);
        r += std::string(digits.size() < 4 ? 4 - digits.size() : 0, ' ') + digits + "  " + source.substr(at, end - at) + "\n";
        at = end + 1;
    }
    return r;
}

/// The number before `words` in a line of ptxas's report.
int number_before(const std::string& line, const char* words, int otherwise) {
    const std::size_t at = line.find(words);
    if (at == std::string::npos) return otherwise;
    std::size_t end = at, begin = at;
    while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
    int r = otherwise;
    std::from_chars(line.data() + begin, line.data() + end, r);
    return r;
}

/// Takes ptxas's report of resources out of a log.
kernel_resources take_resources(std::string& log) {
    kernel_resources r;
    std::string rest;
    for (std::size_t at = 0; at < log.size();) {
        const std::size_t end = std::min(log.find('\n', at), log.size());
        const std::string line = log.substr(at, end - at);
        at = end + 1;
        const bool is_frame = line.find("bytes stack frame") != std::string::npos;
        const bool is_use = line.find("Used ") != std::string::npos && line.find(" registers") != std::string::npos;
        if (is_frame) {
            r.local_bytes = number_before(line, " bytes stack frame", 0);
            r.spill_bytes = number_before(line, " bytes spill stores", 0);
        }
        if (is_use) {
            r.registers = number_before(line, " registers", -1);
            r.shared_bytes = number_before(line, " bytes smem", 0);
        }
        const bool is_info = line.find("ptxas info") != std::string::npos || line.find("Function properties") != std::string::npos;
        if (!is_frame && !is_use && !is_info && line.find_first_not_of(" \t\r") != std::string::npos) rest += line + "\n";
    }
    log = rest;
    return r;
}

[[noreturn]] void throw_not_compiled(const std::string& kernel, const std::string& log, const std::string& source) {
    throw compile_error("kernel " + kernel + " did not compile:\n" + log + "\nThe source:\n" + with_line_numbers(source));
}

/// Compiles, or throws with the source.
void compile_into(program& p, const std::string& source, const std::string& kernel, const std::vector<std::string>& options) {
    const int status = p.compile(options);
    if (status == nvrtc_compilation_failed) throw_not_compiled(kernel, p.log(), source);
    if (status != 0)
        throw compile_error("kernel " + kernel + " did not compile: NVRTC returned status " + std::to_string(status) + " for the options " +
                            joined(options) + ": " + p.log());
}

/// Which compiler: of the emulator also which build of it, since its version number stays.
std::string compiler_identity() {
    int major = 0, minor = 0;
    SINTER_CUDA(nvrtcVersion, &major, &minor);
    std::string r = std::to_string(major) + "." + std::to_string(minor);
    if (!drivers().emulated) return r;
    struct stat file {};
    stat(drivers().nvrtc_library.path.c_str(), &file);
    return r + " emulator " + std::to_string(file.st_size) + " " + std::to_string(file.st_mtim.tv_sec) + "." + std::to_string(file.st_mtim.tv_nsec);
}

/// Compilations that run now, so that a second thread which wants one of them waits for it instead.
class flights {
public:
    using key = std::pair<std::string, std::string>; // options, source

    /// The result of make(), or of the thread that is making it. A failure is that of the thread that made it; the others try.
    template <class Make>
    std::shared_ptr<const machine_code> run(const key& k, const Make& make) {
        std::unique_lock lock(mutex_);
        while (true) {
            const auto [at, is_first] = running_.try_emplace(k, std::make_shared<flight>());
            const std::shared_ptr<flight> f = at->second;
            if (is_first) {
                lock.unlock();
                std::shared_ptr<const machine_code> code;
                std::exception_ptr problem;
                try {
                    code = make();
                } catch (...) {
                    problem = std::current_exception();
                }
                lock.lock();
                f->code = code;
                f->has_ended = true;
                running_.erase(k);
                ended_.notify_all();
                if (problem) std::rethrow_exception(problem);
                return code;
            }
            ended_.wait(lock, [&] { return f->has_ended; });
            if (f->code) return f->code;
        }
    }

private:
    struct flight {
        bool has_ended = false;
        std::shared_ptr<const machine_code> code;
    };
    std::mutex mutex_;
    std::condition_variable ended_;
    std::map<key, std::shared_ptr<flight>> running_;
};

} // namespace

machine_code compile(const std::string& source, const std::string& kernel, const compile_options& options) {
    require_nvrtc();
    program p(source, kernel);
    compile_into(p, source, kernel, option_list(options));
    machine_code r;
    r.image = p.result(drivers().nvrtcGetCUBINSize, drivers().nvrtcGetCUBIN, "nvrtcGetCUBIN");
    r.log = p.log();
    r.resources = take_resources(r.log);
    return r;
}

std::string compile_to_ptx(const std::string& source, const std::string& kernel, const compile_options& options) {
    require_nvrtc();
    program p(source, kernel);
    compile_into(p, source, kernel, option_list(options));
    std::string r = p.result(drivers().nvrtcGetPTXSize, drivers().nvrtcGetPTX, "nvrtcGetPTX");
    if (!r.empty() && r.back() == '\0') r.pop_back();
    return r;
}

std::shared_ptr<const machine_code> machine_code_of(const std::string& source, const std::string& kernel, const compile_options& options) {
    require_nvrtc();
    static flights all;
    const cache_key key{compiler_identity(), joined(option_list(options)), options.architecture, source};
    return all.run({key.options, source}, [&] {
        if (auto found = cached(key)) return std::make_shared<const machine_code>(std::move(*found));
        auto code = std::make_shared<const machine_code>(compile(source, kernel, options));
        keep(key, *code);
        return code;
    });
}

std::vector<int> supported_architectures() {
    require_nvrtc();
    int count = 0;
    SINTER_CUDA(nvrtcGetNumSupportedArchs, &count);
    std::vector<int> r(static_cast<std::size_t>(count));
    SINTER_CUDA(nvrtcGetSupportedArchs, r.data());
    return r;
}

} // namespace sinter::detail::jit

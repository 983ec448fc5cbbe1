// jit/emulator/compile.cpp -- kernels through the host's C++ compiler: files in a private folder, a process, an image.

#include "compile.hpp"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

#include "image.hpp"
#include "kernel_header.hpp"
#include "rewrite.hpp"
#include "sanitizer.hpp"

extern char** environ;

namespace sinter::detail::jit::emulator {
namespace {

const char* environment(const char* name) {
    const char* const r = std::getenv(name);
    return r && *r ? r : nullptr;
}

/// A folder of this process alone, gone with the object.
class private_folder {
public:
    private_folder() {
        const char* const parent = environment("TMPDIR");
        path_ = std::string(parent ? parent : "/tmp") + "/sinter-emulator-XXXXXX";
        if (!mkdtemp(path_.data())) path_.clear();
    }
    ~private_folder() {
        std::error_code ignored;
        if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
    }
    private_folder(const private_folder&) = delete;
    private_folder& operator=(const private_folder&) = delete;

    const std::string& path() const { return path_; }

private:
    std::string path_;
};

bool write_file(const std::string& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    return static_cast<bool>(file.flush());
}

std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
    if (from.empty()) return;
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
}

/// The sanitizer's library and its settings are the program's, not the compiler's.
std::vector<std::string> compiler_environment() {
    std::vector<std::string> r;
    for (char** e = environ; *e; ++e) {
        const std::string entry = *e;
        if (entry.rfind("LD_PRELOAD=", 0) != 0 && entry.rfind("ASAN_OPTIONS=", 0) != 0 && entry.rfind("LC_ALL=", 0) != 0)
            r.push_back(entry);
    }
    r.emplace_back("LC_ALL=C");
    r.emplace_back("ASAN_OPTIONS=detect_leaks=0");
    return r;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> r;
    for (std::string& t : texts) r.push_back(t.data());
    r.push_back(nullptr);
    return r;
}

/// The exit status of a program run in a folder with its messages in a file; -1 if it was not found.
int run_program(std::vector<std::string> words, const std::string& folder, const std::string& log) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    std::vector<std::string> settings = compiler_environment();
    const std::vector<char*> arguments = pointers(words), variables = pointers(settings);
    pid_t process = 0;
    const int problem = posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), variables.data());
    posix_spawn_file_actions_destroy(&actions);
    if (problem != 0) return -1;
    int status = 0;
    while (waitpid(process, &status, 0) < 0)
        if (errno != EINTR) return 0; // the program ignores its children: the object tells
    return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

std::vector<std::string> compilers() {
    if (const char* const chosen = environment("SINTER_EMULATOR_CXX")) return {chosen};
    return {"g++", "c++", "clang++"};
}

/// A name for the program's file: letters of its own name only, so that it needs no quoting.
std::string file_name(const std::string& name) {
    std::string r;
    for (const char c : name.substr(name.find_last_of('/') + 1)) r += std::isalnum(static_cast<unsigned char>(c)) || c == '.' ? c : '_';
    if (r.size() > 100) r.resize(100);
    return "program_" + r;
}

std::vector<std::string> arguments(const compile_request& request, bool is_debug) {
    std::vector<std::string> r = {"-std=" + request.standard, "-D__CUDA_ARCH__=" + std::to_string(request.architecture * 10)};
    if (is_debug)
        for (const char* const option : {"-O0", "-g"}) r.emplace_back(option);
    else
        r.emplace_back("-O1");
    // Misaligned accesses trap, as they do on a device; products and sums stay apart, so that results are those of the CPU's
    // plain loops; types are looked through, since kernels read elements as vectors of elements.
    for (const char* const option :
         {"-w", "-fPIC", "-shared", "-nostdlib", "-nostdinc", "-fvisibility=hidden", "-ffp-contract=off", "-fno-strict-aliasing",
          "-fno-math-errno", "-fno-exceptions", "-fno-rtti", "-fno-stack-protector", "-fno-asynchronous-unwind-tables",
          "-fno-threadsafe-statics", "-fsanitize=alignment", "-fsanitize-undefined-trap-on-error"})
        r.emplace_back(option);
#if defined(SINTER_EMULATOR_ASAN)
    r.emplace_back("-fsanitize=address");
#endif
    return r;
}

std::string without_paths(std::string log, const std::string& folder, const std::string& file, const std::string& name) {
    std::istringstream lines(log);
    std::string kept, line;
    while (std::getline(lines, line))
        if (line.rfind("In file included from", 0) != 0) kept += line + "\n";
    replace_all(kept, folder + "/", "");
    replace_all(kept, file, name);
    replace_all(kept, "{anonymous}::", "");
    replace_all(kept, "(anonymous namespace)::", "");
    replace_all(kept, kernel_prefix, "");
    return kept;
}

std::string image_of(const std::string& object) {
    image_header header{};
    std::memcpy(header.magic, image_magic, sizeof(image_magic));
    header.version = image_version;
    header.bytes = object.size();
    header.checksum = checksum(object.data(), object.size());
    header.header_checksum = checksum(&header, offsetof(image_header, header_checksum));
    return std::string(reinterpret_cast<const char*>(&header), sizeof(header)) + object;
}

void keep(const std::string& file, const std::string& text) {
    if (!write_file(file, text)) std::fprintf(stderr, "sinter emulator: cannot write %s\n", file.c_str());
}

} // namespace

compile_result compile(const compile_request& request) {
    compile_result r;
    private_folder temporary;
    if (temporary.path().empty()) {
        r.log = request.name + ": error: the emulator cannot make a temporary folder\n";
        return r;
    }
    const rewritten_source program = rewrite(request.source);
    const std::string file = file_name(request.name);
    std::string folder = temporary.path();
    const char* const kept = environment("SINTER_EMULATOR_KEEP");
    if (kept) {
        char text[32];
        std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(checksum(request.source.data(), request.source.size())));
        std::error_code ignored;
        folder = std::filesystem::absolute(kept, ignored).string() + "/" + text;
        std::filesystem::create_directories(folder, ignored);
    }
    const std::string header = std::string(kernel_header_language) + kernel_header_mathematics;
    bool is_written = true;
    for (const auto& [name, text] : request.headers) {
        if (name.find('/') == std::string::npos) is_written = write_file(folder + "/" + name, text) && is_written;
    }
    is_written = write_file(folder + "/kernel.hpp", header) && is_written;
    is_written = write_file(folder + "/" + file, program.text + "\n") && is_written;
    const std::string includes = "#include \"kernel.hpp\"\n#include \"" + file + "\"\n";
    is_written = write_file(folder + "/main.cpp", includes + kernel_header_tail + table_text(program)) && is_written;
    if (!is_written) {
        r.log = request.name + ": error: the emulator cannot write to " + folder + "\n";
        return r;
    }
    std::string tried;
    const std::string log = temporary.path() + "/log", object = temporary.path() + "/kernel.so";
    for (const std::string& compiler : compilers()) {
        std::vector<std::string> words = {compiler};
        for (std::string& word : arguments(request, kept != nullptr)) words.push_back(std::move(word));
        for (const std::string& word : {std::string("-o"), object, kept ? folder + "/main.cpp" : std::string("main.cpp")}) words.push_back(word);
        const int status = run_program(std::move(words), folder, log);
        tried += " " + compiler;
        if (status < 0 || status == 127) continue;
        r.log = without_paths(read_file(log), folder, file, request.name);
        if (status == 0) r.image = image_of(read_file(object));
        r.is_compiled = status == 0 && r.image.size() > sizeof(image_header);
        if (kept && r.is_compiled) keep(folder + "/kernel.so", r.image.substr(sizeof(image_header)));
        return r;
    }
    r.log = request.name + ": error: the emulator found no C++ compiler; tried" + tried + "; SINTER_EMULATOR_CXX names another\n";
    return r;
}

} // namespace sinter::detail::jit::emulator

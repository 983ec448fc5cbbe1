// lib/file.cpp -- files whose every operation is checked, and that appear complete or not at all.

#include "file.hpp"

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include <unistd.h>

#include <sinter/core/error.hpp>

namespace sinter::detail {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void throw_cannot(const char* action, const std::string& path, int code) {
    throw io_error(std::string("cannot ") + action + " " + path + ": " + std::generic_category().message(code));
}

} // namespace

input_file::input_file(const std::string& path) : path_(path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status)) throw_cannot("read", path, error ? error.value() : ENOENT);
    if (fs::is_directory(status)) throw_cannot("read", path, EISDIR);
    if (!fs::is_regular_file(status))
        throw io_error("cannot read " + path +
                       ": it is a device or a pipe, whose size is not known; copy it to a file");
    file_.reset(std::fopen(path.c_str(), "rb"));
    if (!file_) throw_cannot("read", path, errno);
    off_t end = -1;
    if (fseeko(file_.get(), 0, SEEK_END) != 0 || (end = ftello(file_.get())) < 0) throw_cannot("read", path, errno);
    size_ = static_cast<std::uint64_t>(end);
    seek(0);
}

void input_file::seek(std::uint64_t position) {
    if (fseeko(file_.get(), static_cast<off_t>(position), SEEK_SET) != 0) throw_cannot("read", path_, errno);
}

void input_file::read(void* to, std::size_t bytes) {
    errno = 0;
    const std::size_t count = std::fread(to, 1, bytes, file_.get());
    if (count == bytes) return;
    if (std::ferror(file_.get())) throw_cannot("read", path_, errno);
    throw io_error(path_ + " is cut short: " + std::to_string(bytes) + " bytes were expected where " +
                   std::to_string(count) + " are left");
}

output_file::output_file(const std::string& path) : path_(path), target_(path) {
    std::error_code error;
    if (fs::is_symlink(fs::symlink_status(path, error))) {
        const fs::path whole = fs::weakly_canonical(path, error);
        if (!error) target_ = whole.string();
    }
    const fs::file_status status = fs::status(target_, error);
    if (fs::is_directory(status)) throw_cannot("write", path_, EISDIR);
    if (!fs::exists(status) || fs::is_regular_file(status))
        open_temporary();
    else
        file_.reset(std::fopen(target_.c_str(), "wb"));
    if (!file_) throw_cannot("write", path_, errno);
    if (fs::is_regular_file(status)) fs::permissions(temporary_, status.permissions(), error); // as far as allowed
}

void output_file::open_temporary() {
    static std::atomic<unsigned> counter{0};
    const fs::path folder = fs::path(target_).parent_path();
    do { // a name may be left from a process that was killed
        const std::string name = ".sinter-" + std::to_string(getpid()) + "-" + std::to_string(counter++) + ".part";
        temporary_ = (folder / name).string();
        file_.reset(std::fopen(temporary_.c_str(), "wbx"));
    } while (!file_ && errno == EEXIST);
}

output_file::~output_file() {
    if (!file_) return;
    file_.reset();
    if (!temporary_.empty()) std::remove(temporary_.c_str());
}

std::uint64_t output_file::position() {
    const off_t at = ftello(file_.get());
    if (at < 0) throw_cannot("write", path_, errno);
    return static_cast<std::uint64_t>(at);
}

void output_file::seek(std::uint64_t position) {
    if (fseeko(file_.get(), static_cast<off_t>(position), SEEK_SET) != 0) throw_cannot("write", path_, errno);
}

void output_file::write(const void* from, std::size_t bytes) {
    if (bytes > 0 && std::fwrite(from, 1, bytes, file_.get()) != bytes) throw_cannot("write", path_, errno);
}

void output_file::commit() {
    if (std::fflush(file_.get()) != 0) throw_cannot("write", path_, errno);
    const bool closed = std::fclose(file_.release()) == 0; // network file systems report here what could not be kept
    const int code = errno;
    if (temporary_.empty()) {
        if (!closed) throw_cannot("write", path_, code);
        return;
    }
    if (closed && std::rename(temporary_.c_str(), target_.c_str()) == 0) return;
    const int reason = closed ? errno : code;
    std::remove(temporary_.c_str());
    throw_cannot("write", path_, reason);
}

} // namespace sinter::detail

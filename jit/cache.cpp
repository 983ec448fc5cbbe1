// jit/cache.cpp -- stage 5: entries of the disk cache: how they are named, checked, written and forgotten.
//
// An entry is a header of one line a fact, the source, and the image. Its name is a hash of the key, and a hit compares the whole
// key, so that two keys of one name cost a compilation and never give a wrong kernel.

#include "cache.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

namespace sinter::detail::jit {
namespace {

namespace fs = std::filesystem;

constexpr const char magic[] = "sinter kernel 1\n"; // raised with every change of the format, and of what sources mean
constexpr const char suffix[] = ".kernel";
constexpr const char unfinished[] = ".new"; // written by a process that is still at it, or that ended in between

/// FNV-1a.
std::uint64_t hash(const std::string& text, std::uint64_t h = 0xcbf29ce484222325) {
    for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return h;
}

std::string hexadecimal(std::uint64_t value) {
    char text[17];
    std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(value));
    return text;
}

/// A text with its length before it, so that no two lists of texts are written alike.
void append(std::string& to, const std::string& text) {
    to += std::to_string(text.size()) + "\n" + text + "\n";
}
void append(std::string& to, std::int64_t number) {
    append(to, std::to_string(number));
}

std::string key_text(const cache_key& key) {
    std::string r;
    append(r, key.compiler);
    append(r, key.options);
    append(r, key.architecture);
    append(r, key.source);
    return r;
}

std::string entry_text(const cache_key& key, const machine_code& code) {
    std::string body = key_text(key);
    append(body, code.resources.registers);
    append(body, code.resources.shared_bytes);
    append(body, code.resources.local_bytes);
    append(body, code.resources.spill_bytes);
    append(body, code.log);
    append(body, code.image);
    return magic + hexadecimal(hash(body)) + "\n" + body;
}

/// Reads what `append` wrote.
class reader {
public:
    explicit reader(const std::string& text, std::size_t at) : text_(text), at_(at) {}

    std::string text() {
        const std::size_t end = text_.find('\n', at_);
        if (end == std::string::npos || end == at_ || end - at_ > 12) return fail();
        std::size_t length = 0;
        for (; at_ < end; ++at_) {
            if (text_[at_] < '0' || text_[at_] > '9') return fail();
            length = length * 10 + static_cast<std::size_t>(text_[at_] - '0');
        }
        ++at_;
        if (length >= text_.size() || at_ + length >= text_.size() || text_[at_ + length] != '\n') return fail();
        at_ += length + 1;
        return text_.substr(at_ - length - 1, length);
    }
    int number() { return std::atoi(text().c_str()); }
    bool is_well() const { return is_well_ && at_ == text_.size(); }

private:
    std::string fail() {
        is_well_ = false;
        at_ = text_.size();
        return {};
    }
    const std::string& text_;
    std::size_t at_;
    bool is_well_ = true;
};

class file {
public:
    file(const std::string& path, int flags) : descriptor_(open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, 0600)) {}
    ~file() {
        if (descriptor_ >= 0) close(descriptor_);
    }
    file(const file&) = delete;
    file& operator=(const file&) = delete;

    bool is_open() const { return descriptor_ >= 0; }
    int descriptor() const { return descriptor_; }
    std::optional<std::string> read_all() const {
        std::string r;
        char part[65536];
        while (true) {
            const ssize_t n = read(descriptor_, part, sizeof(part));
            if (n < 0 && errno == EINTR) continue;
            if (n < 0) return {};
            if (n == 0) return r;
            r.append(part, static_cast<std::size_t>(n));
        }
    }
    bool write_all(const std::string& text) const {
        for (std::size_t at = 0; at < text.size();) {
            const ssize_t n = write(descriptor_, text.data() + at, text.size() - at);
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) return false;
            at += static_cast<std::size_t>(n);
        }
        return true;
    }

private:
    int descriptor_;
};

std::string entry_path(const cache_key& key, const std::string& folder) {
    const std::string text = key_text(key);
    return folder + "/" + hexadecimal(hash(text)) + hexadecimal(hash(text, 0x9e3779b97f4a7c15)) + suffix;
}

std::string environment(const char* name) {
    const char* const r = std::getenv(name);
    return r ? r : "";
}

std::uint64_t size_limit() {
    const std::string given = environment("SINTER_CACHE_BYTES");
    return given.empty() ? std::uint64_t{256} << 20 : std::strtoull(given.c_str(), nullptr, 10);
}

struct entry {
    std::string path;
    std::uint64_t bytes;
    fs::file_time_type used;
};

std::vector<entry> entries(const std::string& folder) {
    std::vector<entry> r;
    std::error_code problem;
    for (fs::directory_iterator at(folder, problem), end; !problem && at != end; at.increment(problem)) {
        std::error_code gone;
        const fs::path extension = at->path().extension();
        if ((extension != suffix && extension != unfinished) || !at->is_regular_file(gone)) continue;
        const auto bytes = at->file_size(gone);
        const auto used = at->last_write_time(gone);
        if (!gone) r.push_back({at->path().string(), bytes, used});
    }
    return r;
}

/// Deletes what was used longest ago while all together take more than the limit, and what others left unfinished.
void shrink(const std::string& folder) {
    std::vector<entry> all = entries(folder);
    const auto hour_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
    std::erase_if(all, [&](const entry& e) {
        return e.path.ends_with(unfinished) && (e.used > hour_ago || unlink(e.path.c_str()) == 0);
    });
    std::uint64_t bytes = 0;
    for (const entry& e : all) bytes += e.bytes;
    const std::uint64_t limit = size_limit();
    if (bytes <= limit) return;
    std::sort(all.begin(), all.end(), [](const entry& a, const entry& b) { return a.used < b.used; });
    for (const entry& e : all) {
        if (bytes <= limit) return;
        if (unlink(e.path.c_str()) == 0) bytes -= e.bytes;
    }
}

} // namespace

cache_folder disk_cache() {
    std::string path = environment("SINTER_CACHE_DIR");
    if (path.empty()) {
        const std::string cache = environment("XDG_CACHE_HOME"), home = environment("HOME");
        if (cache.empty() && home.empty()) return {"", "neither SINTER_CACHE_DIR nor XDG_CACHE_HOME nor HOME is set"};
        path = (cache.empty() ? home + "/.cache" : cache) + "/sinter";
    }
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    std::error_code problem;
    if (const fs::path parent = fs::path(path).parent_path(); !parent.empty()) fs::create_directories(parent, problem);
    if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return {"", path + " cannot be made: " + std::strerror(errno)};
    struct stat folder {};
    if (lstat(path.c_str(), &folder) != 0) return {"", path + ": " + std::strerror(errno)};
    if (!S_ISDIR(folder.st_mode)) return {"", path + " is not a folder"};
    if (folder.st_uid != geteuid()) return {"", path + " belongs to another user, so what it holds is not trusted"};
    if (folder.st_mode & (S_IWGRP | S_IWOTH))
        return {"", path + " can be written by others, so what it holds is not trusted: chmod go-w " + path};
    return {path, ""};
}

std::optional<machine_code> cached(const cache_key& key) {
    const cache_folder folder = disk_cache();
    if (folder.path.empty()) return {};
    const std::string path = entry_path(key, folder.path);
    const file f(path, O_RDONLY);
    if (!f.is_open()) return {};
    const std::optional<std::string> text = f.read_all();
    if (!text) return {};
    const std::size_t start = std::strlen(magic) + 17;
    if (text->rfind(magic, 0) != 0 || text->size() < start || text->substr(start - 17, 17) != hexadecimal(hash(text->substr(start))) + "\n") {
        unlink(path.c_str());
        return {};
    }
    reader read(*text, start);
    const cache_key found{read.text(), read.text(), read.number(), read.text()};
    machine_code code;
    code.resources = {read.number(), read.number(), read.number(), read.number()};
    code.log = read.text();
    code.image = read.text();
    if (!read.is_well()) {
        unlink(path.c_str());
        return {};
    }
    if (found.compiler != key.compiler || found.options != key.options || found.architecture != key.architecture || found.source != key.source)
        return {}; // another key of the same name
    futimens(f.descriptor(), nullptr);
    return code;
}

void keep(const cache_key& key, const machine_code& code) {
    const cache_folder folder = disk_cache();
    if (folder.path.empty()) return;
    static std::atomic<unsigned> counter{0};
    const std::string path = entry_path(key, folder.path);
    const std::string temporary = path + "." + std::to_string(getpid()) + "." + std::to_string(counter++) + unfinished;
    bool is_written = false;
    {
        const file f(temporary, O_WRONLY | O_CREAT | O_EXCL);
        is_written = f.is_open() && f.write_all(entry_text(key, code));
    }
    if (!is_written || std::rename(temporary.c_str(), path.c_str()) != 0) {
        unlink(temporary.c_str());
        return;
    }
    shrink(folder.path);
}

std::uint64_t disk_cache_bytes() {
    const cache_folder folder = disk_cache();
    std::uint64_t bytes = 0;
    if (!folder.path.empty())
        for (const entry& e : entries(folder.path)) bytes += e.bytes;
    return bytes;
}

} // namespace sinter::detail::jit

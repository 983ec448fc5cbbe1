// lib/file.hpp -- files whose every operation is checked, and that appear complete or not at all.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

namespace sinter::detail {

struct file_closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using file_handle = std::unique_ptr<std::FILE, file_closer>;

/// A regular file, read. All throw io_error.
class input_file {
public:
    explicit input_file(const std::string& path);
    const std::string& path() const { return path_; }
    std::uint64_t size() const { return size_; }
    void seek(std::uint64_t position);
    /// Exactly so many bytes.
    void read(void* to, std::size_t bytes);

private:
    std::string path_;
    file_handle file_;
    std::uint64_t size_ = 0;
};

/// A file that is written under a temporary name beside its own, and gets its own when all is written. Devices and
/// pipes are written directly; of a symbolic link, what it points to is replaced. All throw io_error.
class output_file {
public:
    explicit output_file(const std::string& path);
    ~output_file();
    output_file(const output_file&) = delete;
    output_file& operator=(const output_file&) = delete;

    const std::string& path() const { return path_; }
    std::uint64_t position();
    void seek(std::uint64_t position);
    void write(const void* from, std::size_t bytes);
    /// Without this call the destructor leaves nothing behind.
    void commit();

private:
    void open_temporary();

    std::string path_;      // as the user gave it, for messages
    std::string target_;    // after links
    std::string temporary_; // empty: the target is written directly
    file_handle file_;
};

} // namespace sinter::detail

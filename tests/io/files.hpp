// tests/io/files.hpp -- a folder for a test, whole files, and what an io_error says.
#pragma once

#include <doctest/doctest.h>

#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>

#include <sinter/core/tensor.hpp>

namespace sn = sinter;
namespace fs = std::filesystem;

namespace test_files {

/// A folder of this test's own, gone with it.
struct folder {
    fs::path path = fs::temp_directory_path() / ("sinter-npy-" + std::to_string(getpid()));
    folder() { fs::create_directories(path); }
    ~folder() { fs::remove_all(path); }
    std::string operator/(const char* name) const { return (path / name).string(); }
    std::size_t files() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(path), fs::directory_iterator()));
    }
};

inline void write(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}
inline std::string read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream bytes;
    bytes << file.rdbuf();
    return bytes.str();
}

/// What an io_error says; fails the test when there is none.
template <class F>
std::string refusal(F&& f) {
    try {
        f();
    } catch (const sn::io_error& e) {
        return e.what();
    }
    FAIL("no io_error");
    return {};
}
inline bool says(const std::string& message, const std::string& part) {
    const bool found = message.find(part) != std::string::npos;
    if (!found) MESSAGE("\"" << message << "\" lacks \"" << part << "\"");
    return found;
}

template <class T, int N>
sn::tensor<T, N> random_tensor(const sn::shape<N>& shape, std::mt19937_64& random) {
    sn::tensor<T, N> r(shape);
    auto* bytes = reinterpret_cast<unsigned char*>(r.mutable_data());
    for (std::size_t i = 0; i < static_cast<std::size_t>(r.size()) * sizeof(T); ++i)
        bytes[i] = static_cast<unsigned char>(std::is_same_v<T, bool> ? random() % 2 : random());
    return r;
}

/// The same bits, so that NaN equals itself.
template <class T, int N>
bool same(const sn::tensor<T, N>& a, const sn::tensor<T, N>& b) {
    return a.shape() == b.shape() &&
           (a.size() == 0 || std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(T)) == 0);
}

} // namespace test_files

using namespace test_files;

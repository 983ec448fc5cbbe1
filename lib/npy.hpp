// lib/npy.hpp -- what npy.cpp and npz.cpp share: bytes in order, and the header of an array.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <sinter/core/dtype.hpp>
#include <sinter/core/shape.hpp>

namespace sinter::detail {

/// The bytes of one array, in order: a .npy file, or a member of a .npz file. All throw io_error.
class byte_source {
public:
    byte_source(std::string what, std::uint64_t bytes) : what_(std::move(what)), left_(bytes) {}
    virtual ~byte_source() = default;

    /// The file, and the member if it is one: how messages begin.
    const std::string& what() const { return what_; }
    std::uint64_t left() const { return left_; }

    /// Exactly so many bytes.
    void read(void* to, std::size_t bytes);
    /// After the last byte: checks what can be checked only then.
    virtual void finish() {}

protected:
    virtual void read_some(void* to, std::size_t bytes) = 0;

private:
    std::string what_;
    std::uint64_t left_;
};

/// What the header of a .npy file says.
struct npy_header {
    dtype type = dtype::boolean;
    bool byte_swapped = false;
    bool fortran_order = false;
    std::vector<std::int64_t> shape;
    std::uint64_t bytes = 0; // of all values
};

/// Reads a header and checks that exactly the values it announces follow. Throws io_error.
npy_header read_npy_header(byte_source& source);

/// The bytes before the values, as NumPy writes them.
std::string npy_header_text(dtype type, extents shape);

/// The member `name` or `name`.npy. Throws io_error.
std::unique_ptr<byte_source> open_npz_member(const std::string& path, const std::string& name);

/// Text from a file, quoted for a message: short, and printable.
std::string quoted(const std::string& text);

} // namespace sinter::detail

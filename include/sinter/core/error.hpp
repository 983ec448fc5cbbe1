// sinter/core/error.hpp -- the exceptions that sinter throws.
//
// A message says what was given (with shapes), which rule it breaks, and what would be right.
#pragma once

#include <stdexcept>
#include <string>

namespace sinter {

/// The base of all exceptions that sinter throws on purpose.
class error : public std::runtime_error {
public:
    explicit error(const std::string& message) : std::runtime_error("sinter: " + message) {}
};

/// Extents that do not fit together, or an extent that cannot be.
class shape_error : public error {
    using error::error;
};

/// An index or an axis outside its range.
class index_error : public error {
    using error::error;
};

/// A device that is not there, or operands on different devices.
class device_error : public error {
    using error::error;
};

/// A file that cannot be read or written, or does not hold what it says.
class io_error : public error {
    using error::error;
};

/// A generated kernel that did not compile.
class compile_error : public error {
    using error::error;
};

/// Memory that could not be had.
class out_of_memory : public error {
    using error::error;
};

} // namespace sinter

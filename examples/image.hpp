// examples/image.hpp -- PNG files as tensors of bytes, by libpng.
#pragma once

#include <cstdint>
#include <string>

#include <sinter/sinter.hpp>

/// Height, width, and 3 channels: red, green, blue. Grey and palettes are expanded, 16 bits become 8, what is
/// transparent lies on white. Throws sinter::io_error.
sinter::tensor<std::uint8_t, 3> read_png(const std::string& path);

/// The same shape. Throws sinter::io_error, and sinter::shape_error unless there are 3 channels.
void write_png(const std::string& path, const sinter::tensor<std::uint8_t, 3>& image);

// examples/image.hpp -- PNG files as tensors of bytes, by libpng.
#pragma once

#include <string>

#include <sinter/sinter.hpp>

/// Height, width, 3 channels: red, green, blue. Grey and palette images are expanded, transparent pixels are shown on white. Throws sinter::io_error.
sinter::tensor<std::uint8_t, 3> read_png(const std::string& path);

void write_png(const std::string& path, const sinter::tensor<std::uint8_t, 3>& image);

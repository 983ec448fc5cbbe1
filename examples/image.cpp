// examples/image.cpp -- PNG files as tensors of bytes, by libpng's simplified interface. See image.hpp.

#include "image.hpp"

#include <png.h>

namespace sn = sinter;

sn::tensor<std::uint8_t, 3> read_png(const std::string& path) {
    png_image header{};
    header.version = PNG_IMAGE_VERSION;
    if (!png_image_begin_read_from_file(&header, path.c_str())) throw sn::io_error(path + ": " + header.message);
    header.format = PNG_FORMAT_RGB;
    sn::tensor<std::uint8_t, 3> image(sn::shape<3>{header.height, header.width, 3});
    const png_color white{255, 255, 255};
    if (!png_image_finish_read(&header, &white, image.span().data(), 0, nullptr))
        throw sn::io_error(path + ": " + header.message);
    return image;
}

void write_png(const std::string& path, const sn::tensor<std::uint8_t, 3>& image) {
    if (image.shape()[2] != 3)
        throw sn::shape_error("write_png: the last axis holds red, green and blue: its extent is 3");
    png_image header{};
    header.version = PNG_IMAGE_VERSION;
    header.height = static_cast<png_uint_32>(image.shape()[0]);
    header.width = static_cast<png_uint_32>(image.shape()[1]);
    header.format = PNG_FORMAT_RGB;
    if (!png_image_write_to_file(&header, path.c_str(), 0, image.span().data(), 0, nullptr))
        throw sn::io_error(path + ": " + header.message);
}

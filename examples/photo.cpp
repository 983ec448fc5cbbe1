// examples/photo.cpp -- develops a photograph: light, sharpness, film, colour. photo DATA_FOLDER OUTPUT_FOLDER
//
// The picture is three planes, (channel, height, width), so that the innermost loop runs along rows of pixels, and what
// is the same for all channels or all pixels broadcasts. Each step is one fused pass over it.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iostream>

#include <sinter/sinter.hpp>

#include "image.hpp"

namespace sn = sinter;
using sn::all, sn::axis, sn::keepdims, sn::newaxis, sn::range;
using picture = sn::tensor<float, 3>; // channel, height, width
using bytes = sn::tensor<std::uint8_t, 3>;

namespace {

/// Bytes as sRGB stores them (IEC 61966-2-1) to light, which is what a lens adds up and a film sees; and back.
auto decode(const auto& srgb) {
    const auto v = sn::cast<float>(srgb) / 255;
    return sn::where(v <= 0.04045f, v / 12.92f, sn::pow((v + 0.055f) / 1.055f, 2.4f));
}
auto encode(const auto& light) {
    const auto v = sn::clamp(light, 0, 1);
    const auto srgb = sn::where(v <= 0.0031308f, v * 12.92f, 1.055f * sn::pow(v, 1 / 2.4f) - 0.055f);
    return sn::cast<std::uint8_t>(sn::round(255 * srgb));
}

/// How a film answers to light: dark and bright parts are compressed (K. Narkowicz, "ACES Filmic Tone Mapping Curve",
/// 2015).
auto film(const auto& light) {
    return light * (2.51f * light + 0.03f) / (light * (2.43f * light + 0.59f) + 0.14f);
}

/// Weights 1 4 6 4 1 down and then across, from five slices each. The two outermost pixels at each border stay as they
/// are.
picture blurred(const picture& p) {
    const auto [channels, height, width] = p.shape();
    picture result = p; // shares its memory until the next statement writes
    const auto row = [&, n = height](int by) { return p(all, range(2 + by, n - 2 + by), all); };
    result.at(all, range(2, -2), all) = (row(-2) + 4 * row(-1) + 6 * row(0) + 4 * row(1) + row(2)) / 16;

    const picture down = result;
    const auto column = [&, n = width](int by) { return down(all, all, range(2 + by, n - 2 + by)); };
    result.at(all, all, range(2, -2)) = (column(-2) + 4 * column(-1) + 6 * column(0) + 4 * column(1) + column(2)) / 16;
    return result;
}

/// 1 in the middle of the picture, 1 - strength in its corners: (height, width), which broadcasts over the channels.
auto vignette(std::int64_t height, std::int64_t width, float strength) {
    const auto y = (sn::arange<float>(height) + 0.5f) / (0.5f * float(height)) - 1; // from -1 to 1
    const auto x = (sn::arange<float>(width) + 0.5f) / (0.5f * float(width)) - 1;
    return 1 - strength * sn::square((sn::expand_dims<1>(y * y) + x * x) / 2);
}

/// The best time of twenty.
template <class F>
void timed(const char* what, std::int64_t pixels, F f) {
    using clock = std::chrono::steady_clock;
    double best = INFINITY;
    for (int run = 0; run < 20; ++run) {
        const auto start = clock::now();
        f();
        best = std::min(best, std::chrono::duration<double, std::milli>(clock::now() - start).count());
    }
    std::printf("  %-36s %7.3f ms %9.1f megapixels/s\n", what, best, double(pixels) / best / 1e3);
}

void run(const std::string& data, const std::string& output) {
    const bytes original = read_png(data + "/flower.png");
    const std::int64_t height = original.shape()[0], width = original.shape()[1];
    if (height < 5 || width < 5) throw sn::shape_error("photo: the picture has fewer than 5 x 5 pixels");
    const std::int64_t pixels = height * width;
    std::printf("%lld x %lld pixels from flower.png\n", static_cast<long long>(width), static_cast<long long>(height));

    constexpr float stops = 0.7f, sharpness = 0.6f, saturation = 1.05f, darker_corners = 0.4f;
    picture light, sharp, colour;
    bytes planes, developed;
    timed("sRGB to light, exposure", pixels,
          [&] { light = decode(sn::permute<2, 0, 1>(original)) * std::exp2(stops); });
    timed("unsharp mask", pixels, [&] { sharp = sn::maximum(light + sharpness * (light - blurred(light)), 0); });
    timed("film, saturation, vignette", pixels, [&] {
        const picture toned = film(sharp);
        const auto weights = sn::tensor<float, 1>{0.2126f, 0.7152f, 0.0722f}(all, newaxis, newaxis);
        const auto grey = sn::sum(toned * weights, axis<0>, keepdims);
        colour = (grey + saturation * (toned - grey)) * vignette(height, width, darker_corners);
    });
    timed("light to sRGB", pixels, [&] { planes = encode(colour); });
    timed("planes to pixels", pixels, [&] { developed = sn::permute<1, 2, 0>(planes); });

    // The mean of bytes is taken in double, and one row for each picture is printed as NumPy would.
    std::cout << "  mean red, green, blue before " << sn::mean(original, axis<0, 1>)
              << "\n  and after                     " << sn::mean(developed, axis<0, 1>) << '\n';
    write_png(output + "/photo.png", developed);
    std::printf("  wrote %s/photo.png\n", output.c_str());
}

} // namespace

int main(int count, char** arguments) {
    if (count != 3) {
        std::fputs("usage: photo DATA_FOLDER OUTPUT_FOLDER\n", stderr);
        return 1;
    }
    try {
        run(arguments[1], arguments[2]);
    } catch (const sn::error& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
}

// examples/photo.cpp -- develops a photograph: exposure, tone curve, sharpening, vignette: photo DATA_FOLDER OUTPUT_FOLDER
//
// Light is linear inside: pixels are decoded from sRGB, and encoded again at the end. Every step is one fused expression.

#include <chrono>
#include <cstdio>
#include <iostream>

#include <sinter/sinter.hpp>

#include "image.hpp"

namespace sn = sinter;
using sn::all, sn::axis, sn::keepdims, sn::newaxis, sn::open, sn::range;
using picture = sn::tensor<float, 3>; // height, width, channel

namespace {

/// sRGB (IEC 61966-2-1) to linear light and back.
auto decode(const sn::tensor<std::uint8_t, 3>& bytes) {
    const auto v = sn::cast<float>(bytes) / 255;
    return sn::where(v <= 0.04045f, v / 12.92f, sn::pow((v + 0.055f) / 1.055f, 2.4f));
}
auto encode(const auto& light) {
    const auto v = sn::clamp(light, 0, 1);
    return sn::cast<std::uint8_t>(sn::round(255 * sn::where(v <= 0.0031308f, v * 12.92f, 1.055f * sn::pow(v, 1 / 2.4f) - 0.055f)));
}

/// A film's response: a toe, a straight part and a shoulder (the rational curve of K. Narkowicz's fit to ACES, 2015).
auto tone_curve(const auto& x) {
    return x * (2.51f * x + 0.03f) / (x * (2.43f * x + 0.59f) + 0.14f);
}

/// Blurred by the binomial weights 1 4 6 4 1 along one axis; two pixels at each border stay. Five slices of one picture,
/// and not one copy.
template <int Axis>
picture blur(const picture& p) {
    const std::int64_t n = p.shape()[Axis];
    const auto shifted = [&](std::int64_t by) {
        const range inner(2 + by, n - 2 + by);
        if constexpr (Axis == 0)
            return p(inner, all, all);
        else
            return p(all, inner, all);
    };
    const auto inside = (shifted(-2) + shifted(2) + 4 * (shifted(-1) + shifted(1)) + 6 * shifted(0)) / 16;
    picture r = p;
    if constexpr (Axis == 0)
        r.at(range(2, n - 2), all, all) = inside;
    else
        r.at(all, range(2, n - 2), all) = inside;
    return r;
}

/// 1 in the middle, falling towards the corners: height, width, and one channel that broadcasts.
auto vignette(std::int64_t height, std::int64_t width, float strength) {
    const auto y = sn::reshape(sn::linspace<float>(-1, 1, height), {height, 1, 1});
    const auto x = sn::reshape(sn::linspace<float>(-1, 1, width), {1, width, 1});
    return 1 - strength * sn::square((x * x + y * y) / 2);
}

void run(const std::string& data, const std::string& output) {
    const auto bytes = read_png(data + "/flower.png");
    const std::int64_t height = bytes.shape()[0], width = bytes.shape()[1];
    std::printf("%lld x %lld pixels from flower.png\n", static_cast<long long>(width), static_cast<long long>(height));
    if (height < 5 || width < 5) throw sn::shape_error("photo: a picture of at least 5 x 5 pixels is needed");

    const auto timed = [pixels = double(height * width)](const char* what, auto f) {
        const auto start = std::chrono::steady_clock::now();
        f();
        const double time = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        std::printf("  %-44s %6.2f ms  %7.1f megapixels a second\n", what, time * 1e3, pixels / time / 1e6);
    };
    picture light, developed;
    sn::tensor<std::uint8_t, 3> result;
    timed("sRGB to light, two thirds of a stop brighter", [&] { light = decode(bytes) * 1.6f; });
    timed("unsharp mask: five slices along each axis", [&] {
        const picture soft = blur<1>(blur<0>(light));
        light = sn::maximum(light + 0.8f * (light - soft), 0);
    });
    timed("tone curve, saturation and vignette", [&] {
        const auto curved = tone_curve(light);
        const auto grey = sn::sum(curved * sn::tensor<float, 1>{0.2126f, 0.7152f, 0.0722f}, axis<2>, keepdims);
        developed = (grey + 1.15f * (curved - grey)) * vignette(height, width, 0.35f);
    });
    timed("light to sRGB", [&] { result = encode(developed); });

    const auto [before, after] = sn::eval(sn::mean(bytes, axis<0, 1>), sn::mean(result, axis<0, 1>));
    std::cout << "  mean red, green, blue: " << before << " before, " << after << " after\n";
    write_png(output + "/photo.png", result);
    std::printf("  wrote %s/photo.png\n", output.c_str());
}

} // namespace

int main(int count, char** arguments) {
    try {
        run(count > 1 ? arguments[1] : "examples/data", count > 2 ? arguments[2] : ".");
    } catch (const sn::error& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
}

// tests/io/npz.cpp -- .npz archives: named tensors come back, zip64 and deflate are read, what lies is an io_error.

#include <doctest/doctest.h>

#include <sinter/io/npy.hpp>

#include "files.hpp"

namespace {

std::string number(std::uint64_t value, int bytes) {
    std::string r;
    for (int i = 0; i < bytes; ++i) r += static_cast<char>(value >> 8 * i & 255);
    return r;
}

/// Sets a number in a file's bytes.
void put(std::string& bytes, std::size_t at, std::uint64_t value, int width) {
    bytes.replace(at, static_cast<std::size_t>(width), number(value, width));
}

/// An archive of one stored member x.npy, and where its parts are.
struct archive {
    std::string bytes;
    std::size_t data, directory, end;
};
archive one_member(const folder& here, const sn::tensor<float, 1>& x, sn::compression packing = sn::compression::none) {
    sn::save_npz(here / "one.npz", {{"x", x}}, packing);
    const std::string bytes = read(here / "one.npz");
    return {bytes, 30 + 5, bytes.find("PK\1\2"), bytes.size() - 22};
}

std::string refusal_of(const folder& here, const std::string& bytes) {
    write(here / "x.npz", bytes);
    return refusal([&] { (void)sn::load_npz<float, 1>(here / "x.npz", "x"); });
}

} // namespace

TEST_CASE_TEMPLATE("named tensors of any type come back from a .npz file", T, bool, std::int8_t, std::int16_t,
                   std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, float,
                   double) {
    const folder here;
    const std::string path = here / "x.npz";
    std::mt19937_64 random(2);
    const auto a = random_tensor<T, 3>({50, 60, 70}, random);
    const auto b = random_tensor<T, 0>({}, random);
    const auto c = random_tensor<T, 2>({0, 3}, random);
    for (const auto packing : {sn::compression::none, sn::compression::deflate}) {
        sn::save_npz(path, {{"a", a}, {"über", b}, {"folder/c", c}}, packing);
        CHECK(sn::npz_names(path) == std::vector<std::string>{"a", "über", "folder/c"});
        CHECK(same(sn::load_npz<T, 3>(path, "a"), a));
        CHECK(same(sn::load_npz<T, 0>(path, "über"), b));
        CHECK(same(sn::load_npz<T, 2>(path, "folder/c"), c));
        CHECK(same(sn::load_npz<T, 2>(path, "folder/c.npy"), c));
    }
    CHECK(here.files() == 1);
}

TEST_CASE("tensors of different types and ranks, one tensor, none, or those of a vector") {
    const folder here;
    const std::string path = here / "x.npz";
    const sn::tensor<float, 2> w{{1, 2}, {3, 4}};
    const sn::tensor<std::int64_t, 1> b{5, 6};
    sn::save_npz(path, {{"w", w}, {"b", b}});
    CHECK(same(sn::load_npz<float, 2>(path, "w"), w));
    CHECK(same(sn::load_npz<std::int64_t, 1>(path, "b"), b));
    sn::save_npz(path, {{"w", w}});
    CHECK(sn::npz_names(path) == std::vector<std::string>{"w"});
    sn::save_npz(path, std::initializer_list<sn::npz_entry>{});
    CHECK(sn::npz_names(path).empty());
    std::vector<sn::npz_entry> many;
    for (int i = 0; i < 300; ++i) many.emplace_back("layer" + std::to_string(i), b);
    sn::save_npz(path, many, sn::compression::deflate);
    CHECK(sn::npz_names(path).size() == 300);
    CHECK(same(sn::load_npz<std::int64_t, 1>(path, "layer299"), b));
}

TEST_CASE("an archive of more than 65535 arrays") {
    const folder here;
    const sn::tensor<std::uint8_t, 0> x(std::uint8_t{7});
    std::vector<sn::npz_entry> many;
    for (int i = 0; i < 70'000; ++i) many.emplace_back(std::to_string(i), x);
    sn::save_npz(here / "x.npz", many);
    CHECK(sn::npz_names(here / "x.npz").size() == 70'000);
    CHECK(same(sn::load_npz<std::uint8_t, 0>(here / "x.npz", "69999"), x));
}

TEST_CASE("packed archives are smaller, and equal values give equal files") {
    const folder here;
    const sn::tensor<double, 1> x = [] {
        sn::tensor<double, 1> r(sn::shape<1>{100'000});
        std::fill_n(r.mutable_data(), 100'000, 1.5);
        return r;
    }();
    sn::save_npz(here / "a.npz", {{"x", x}});
    sn::save_npz(here / "b.npz", {{"x", x}}, sn::compression::deflate);
    CHECK(fs::file_size(here / "a.npz") > 800'000);
    CHECK(fs::file_size(here / "b.npz") < 8'000);
    const std::string before = read(here / "b.npz");
    sn::save_npz(here / "b.npz", {{"x", x}}, sn::compression::deflate);
    CHECK(read(here / "b.npz") == before);
}

TEST_CASE("a name that is missing, empty or used twice is refused") {
    const folder here;
    const std::string path = here / "x.npz";
    const sn::tensor<float, 1> x{1};
    sn::save_npz(path, {{"first", x}, {"second", x}});
    CHECK(says(refusal([&] { (void)sn::load_npz<float, 1>(path, "third"); }),
               path + " has no array \"third\"; it has \"first\", \"second\""));
    CHECK(says(refusal([&] { (void)sn::load_npz<double, 1>(path, "first"); }),
               "array \"first\", holds float32 of shape (1,); load_npz<float, 1> reads it"));
    CHECK(says(refusal([&] { sn::save_npz(here / "y.npz", {{"a", x}, {"a", x}}); }), "two arrays are named \"a\""));
    CHECK(says(refusal([&] { sn::save_npz(here / "y.npz", {{"", x}}); }), "cannot be named \"\""));
    CHECK(says(refusal([&] { sn::save_npz(here / "y.npz", {{std::string(70'000, 'x'), x}}); }), "cannot be named"));
    CHECK(here.files() == 1);
}

TEST_CASE("a .npy file is not a .npz file, nor the reverse, and the error says which function reads it") {
    const folder here;
    const sn::tensor<float, 1> x{1};
    sn::save_npy(here / "x.npy", x);
    sn::save_npz(here / "x.npz", {{"x", x}});
    CHECK(says(refusal([&] { (void)sn::load_npz<float, 1>(here / "x.npy", "x"); }), "read it with load_npy"));
    CHECK(says(refusal([&] { (void)sn::load_npy<float, 1>(here / "x.npz"); }), "read it with load_npz"));
    CHECK(says(refusal([&] { (void)sn::npz_names(here / "none"); }), "No such file or directory"));
}

TEST_CASE("a changed value does not pass the checksum") {
    const folder here;
    auto good = one_member(here, {1, 2, 3});
    good.bytes[good.directory - 1] ^= 1;
    CHECK(says(refusal_of(here, good.bytes), "checksum (CRC-32) does not match"));
}

TEST_CASE("directories that lie are refused") {
    const folder here;
    const auto good = one_member(here, {1, 2, 3});
    const auto changed = [&](std::size_t at, std::uint64_t value, int width) {
        std::string bytes = good.bytes;
        put(bytes, at, value, width);
        return refusal_of(here, bytes);
    };
    CHECK(says(changed(good.directory + 8, 1, 2), "encrypted"));
    CHECK(says(changed(good.directory + 10, 12, 2), "packed by method 12"));
    CHECK(says(changed(good.directory + 20, 100, 4), "packed bytes cannot be"));
    CHECK(says(changed(good.directory + 24, 0xfffffffe, 4), "packed bytes cannot be"));
    CHECK(says(changed(good.directory + 42, 1, 4), "no member is where the directory says"));
    CHECK(says(changed(good.directory + 42, 0xfffffff0, 4), "beyond the end"));
    CHECK(says(changed(30, 'y', 1), "is another member"));
    CHECK(says(changed(28, 0xffff, 2), "beyond its end"));
    CHECK(says(changed(good.end + 4, 1, 2), "several files"));
    CHECK(says(changed(good.end + 10, 2, 2), "announces 2 members and holds 1"));
    CHECK(says(changed(good.end + 12, 0xffff, 4), "its directory would lie beyond its end"));
    CHECK(says(changed(good.end + 16, 0xfffffff0, 4), "its directory would lie beyond its end"));
    CHECK(says(changed(good.end + 20, 1, 2), "does not end with the directory"));
    for (std::size_t length = 0; length < good.bytes.size(); ++length)
        CHECK(says(refusal_of(here, good.bytes.substr(0, length)), "x.npz"));
}

TEST_CASE("packed data that lie about their size are refused before memory is taken") {
    const folder here;
    const auto good = one_member(here, {1, 2, 3}, sn::compression::deflate);
    const auto changed = [&](std::uint64_t bytes_announced) {
        std::string bytes = good.bytes;
        put(bytes, good.directory + 24, bytes_announced, 4);
        return refusal_of(here, bytes);
    };
    CHECK(says(changed(0xfffffff0), "packed bytes cannot be 4294967280 bytes"));
    CHECK(says(changed(128 + 13), "takes 12 bytes, but 13 follow the header"));
    CHECK(says(changed(128 + 11), "takes 12 bytes, but is cut short"));
    std::string garbage = good.bytes;
    put(garbage, good.data, 0xffffffff, 4);
    CHECK(says(refusal_of(here, garbage), "packed data do not make sense"));
}

TEST_CASE("zip64 sizes, offsets and counts are read") {
    const folder here;
    const auto good = one_member(here, {1, 2, 3});
    std::string bytes = good.bytes.substr(0, good.end);
    const std::uint64_t size = good.directory - good.data;
    const std::string wide = number(7, 2) + number(2, 2) + "ab" + number(1, 2) + number(24, 2) + number(size, 8) +
                             number(size, 8) + number(0, 8);
    put(bytes, good.directory + 20, 0xffffffff, 4);
    put(bytes, good.directory + 24, 0xffffffff, 4);
    put(bytes, good.directory + 42, 0xffffffff, 4);
    put(bytes, good.directory + 30, wide.size(), 2);
    bytes += wide;
    const std::size_t end = bytes.size();
    bytes += "PK\6\6" + number(44, 8) + number(45, 2) + number(45, 2) + number(0, 8) + number(1, 8) + number(1, 8) +
             number(end - good.directory, 8) + number(good.directory, 8);
    bytes += "PK\6\7" + number(0, 4) + number(end, 8) + number(1, 4);
    bytes += "PK\5\6" + number(0, 4) + number(0xffff, 2) + number(0xffff, 2) + number(0xffffffff, 4) +
             number(0xffffffff, 4) + number(0, 2);
    write(here / "x.npz", bytes);
    CHECK(same(sn::load_npz<float, 1>(here / "x.npz", "x"), sn::tensor<float, 1>{1, 2, 3}));
    put(bytes, good.directory + 46 + 5 + 8, 8, 2); // of three numbers of 64 bits only one
    CHECK(says(refusal_of(here, bytes), "zip64 field is too short"));
    put(bytes, end + 42, ~std::uint64_t{0}, 8);
    CHECK(says(refusal_of(here, bytes), "its directory would lie beyond its end"));
    put(bytes, end + 56 + 8, ~std::uint64_t{0}, 8);
    CHECK(says(refusal_of(here, bytes), "beyond the end of the file"));
}

TEST_CASE("a comment after the archive is skipped") {
    const folder here;
    auto good = one_member(here, {1, 2, 3});
    put(good.bytes, good.end + 20, 30, 2);
    write(here / "x.npz", good.bytes + "PK\5\6 a comment of thirty chars");
    CHECK(same(sn::load_npz<float, 1>(here / "x.npz", "x"), sn::tensor<float, 1>{1, 2, 3}));
}

TEST_CASE("a mutated .npz file is the same tensor or an io_error") {
    const folder here;
    std::mt19937_64 random(20240608);
    const sn::tensor<float, 1> x{1, 2, 3};
    int loaded = 0;
    for (const auto packing : {sn::compression::none, sn::compression::deflate}) {
        const auto good = one_member(here, x, packing);
        for (int i = 0; i < 3000; ++i) {
            std::string bytes = good.bytes;
            for (std::uint64_t n = random() % 3 + 1; n-- > 0;)
                bytes[random() % bytes.size()] = static_cast<char>(random() % 3 ? random() : 255 * (random() % 2));
            write(here / "x.npz", bytes);
            try {
                const auto y = sn::load_npz<float, 1>(here / "x.npz", "x");
                CHECK(same(y, x)); // the checksum sees to it
                ++loaded;
            } catch (const sn::io_error&) {
            }
        }
    }
    CHECK(loaded > 100); // times and permissions are not read
}

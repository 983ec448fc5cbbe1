// tests/io/npy.cpp -- .npy files: what is written reads back, what NumPy writes is read, what lies is an io_error.

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include <sinter/io/npy.hpp>

#include "files.hpp"

namespace {

/// The bytes of a .npy file of a given version and dictionary.
std::string npy(const std::string& dictionary, const std::string& values, int version = 1) {
    std::string r = "\x93NUMPY";
    r += static_cast<char>(version);
    r += '\0';
    for (int i = 0; i < (version == 1 ? 2 : 4); ++i) r += static_cast<char>(dictionary.size() >> 8 * i & 255);
    return r + dictionary + values;
}
std::string dictionary(const std::string& descr, const std::string& shape, const char* fortran_order = "False") {
    return "{'descr': '" + descr + "', 'fortran_order': " + fortran_order + ", 'shape': " + shape + ", }\n";
}

template <class T>
std::string bytes_of_values(const std::vector<T>& values, bool big_endian = false) {
    std::string r;
    for (T value : values) {
        char bytes[sizeof(T)];
        std::memcpy(bytes, &value, sizeof(T));
        if (big_endian != (std::endian::native == std::endian::big)) std::reverse(bytes, bytes + sizeof(T));
        r.append(bytes, sizeof(T));
    }
    return r;
}

template <class T, int N>
std::string refusal_of(const std::string& path, const std::string& bytes) {
    write(path, bytes);
    return refusal([&] { (void)sn::load_npy<T, N>(path); });
}

template <class T, int N>
void check_round_trip(const std::string& path, const sn::shape<N>& shape, std::mt19937_64& random) {
    const auto x = random_tensor<T, N>(shape, random);
    sn::save_npy(path, x);
    CHECK(fs::file_size(path) % 64 == static_cast<std::size_t>(x.size()) * sizeof(T) % 64);
    CHECK(same(sn::load_npy<T, N>(path), x));
}

} // namespace

TEST_CASE_TEMPLATE("a saved tensor of any type and rank loads as it was", T, bool, std::int8_t, std::int16_t,
                   std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, float,
                   double) {
    const folder here;
    std::mt19937_64 random(1);
    const std::string path = here / "x.npy";
    check_round_trip<T, 0>(path, {}, random);
    check_round_trip<T, 1>(path, {1000}, random);
    check_round_trip<T, 1>(path, {0}, random);
    check_round_trip<T, 2>(path, {3, 4}, random);
    check_round_trip<T, 2>(path, {2, 0}, random);
    check_round_trip<T, 3>(path, {70, 80, 90}, random);
    check_round_trip<T, 4>(path, {2, 3, 4, 5}, random);
    check_round_trip<T, 8>(path, {1, 2, 1, 2, 3, 1, 2, 2}, random);
}

TEST_CASE("the bytes are those of numpy.save") {
    const folder here;
    sn::save_npy(here / "x.npy", sn::tensor<float, 2>{{1, 2}, {3, 4}});
    const std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }";
    const std::string expected =
        npy(text + std::string(117 - text.size(), ' ') + "\n", bytes_of_values<float>({1, 2, 3, 4}));
    if (std::endian::native == std::endian::little) CHECK(read(here / "x.npy") == expected);
}

TEST_CASE("versions 1, 2 and 3 are read") {
    const folder here;
    for (const int version : {1, 2, 3}) {
        write(here / "x.npy", npy(dictionary("<i4", "(3,)"), bytes_of_values<std::int32_t>({1, -2, 3}), version));
        CHECK(same(sn::load_npy<std::int32_t, 1>(here / "x.npy"), sn::tensor<std::int32_t, 1>{1, -2, 3}));
    }
}

TEST_CASE("both byte orders are read") {
    const folder here;
    const auto check = [&]<class T>(const std::string& code, std::vector<T> values) {
        sn::tensor<T, 1> expected(sn::shape<1>{static_cast<std::int64_t>(values.size())});
        std::copy(values.begin(), values.end(), expected.mutable_data());
        for (const char order : {'<', '>'}) {
            write(here / "x.npy", npy(dictionary(order + code, "(" + std::to_string(values.size()) + ",)"),
                                      bytes_of_values(values, order == '>')));
            CHECK(same(sn::load_npy<T, 1>(here / "x.npy"), expected));
        }
    };
    check("i2", std::vector<std::int16_t>{1, -2, 12345});
    check("u2", std::vector<std::uint16_t>{1, 65535});
    check("i4", std::vector<std::int32_t>{1, -2, 123456789});
    check("u8", std::vector<std::uint64_t>{1, ~std::uint64_t{0} - 5});
    check("f4", std::vector<float>{1.5f, -0.f, std::numeric_limits<float>::infinity()});
    check("f8", std::vector<double>(100'000, 0.1)); // more than one chunk
    check("i1", std::vector<std::int8_t>{-1, 2});
    for (const char* native : {"=f4", "|f4", "f4"}) {
        float one = 1;
        write(here / "x.npy", npy(dictionary(native, "()"), std::string(reinterpret_cast<char*>(&one), 4)));
        CHECK(same(sn::load_npy<float, 0>(here / "x.npy"), sn::tensor<float, 0>(1.f)));
    }
}

TEST_CASE("Fortran order becomes row-major") {
    const folder here;
    write(here / "x.npy", npy(dictionary("<i2", "(2, 3)", "True"), bytes_of_values<std::int16_t>({1, 4, 2, 5, 3, 6})));
    CHECK(same(sn::load_npy<std::int16_t, 2>(here / "x.npy"), sn::tensor<std::int16_t, 2>{{1, 2, 3}, {4, 5, 6}}));
    write(here / "x.npy", npy(dictionary(">f8", "(2, 2)", "True"), bytes_of_values<double>({1, 3, 2, 4}, true)));
    CHECK(same(sn::load_npy<double, 2>(here / "x.npy"), sn::tensor<double, 2>{{1, 2}, {3, 4}}));
    write(here / "x.npy", npy(dictionary("|u1", "(3,)", "True"), "\1\2\3"));
    CHECK(same(sn::load_npy<std::uint8_t, 1>(here / "x.npy"), sn::tensor<std::uint8_t, 1>{1, 2, 3}));

    const sn::shape<4> shape{33, 3, 2, 65};
    std::vector<std::int32_t> values;
    sn::tensor<std::int32_t, 4> expected(shape);
    for (std::int32_t l = 0; l < 65; ++l)
        for (std::int32_t k = 0; k < 2; ++k)
            for (std::int32_t j = 0; j < 3; ++j)
                for (std::int32_t i = 0; i < 33; ++i) {
                    values.push_back(static_cast<std::int32_t>(values.size()));
                    expected.mutable_data()[((i * 3 + j) * 2 + k) * 65 + l] = values.back();
                }
    write(here / "x.npy", npy(dictionary("<i4", "(33, 3, 2, 65)", "True"), bytes_of_values(values)));
    CHECK(same(sn::load_npy<std::int32_t, 4>(here / "x.npy"), expected));
}

TEST_CASE("any spelling of the header that Python would read the same") {
    const folder here;
    const std::string value = bytes_of_values<std::int32_t>({7, 8});
    for (const char* text : {
             "{'descr': '<i4', 'fortran_order': False, 'shape': (2,)}",
             "{'shape': (2,), 'fortran_order': False, 'descr': '<i4'}   \n",
             "{\"descr\":\"<i4\",\"shape\":(2,),\"fortran_order\":False,}",
             "  { 'descr' :\t'<i4' , 'fortran_order' : False , 'shape' : ( 2 , ) , } \n\n",
             "{'descr': '<i4', 'fortran_order': True, 'shape': (2L,), }\n",
         }) {
        write(here / "x.npy", npy(text, value));
        CHECK(same(sn::load_npy<std::int32_t, 1>(here / "x.npy"), sn::tensor<std::int32_t, 1>{7, 8}));
    }
    write(here / "x.npy", npy(dictionary("<i4", "(1L, 2L)"), value));
    CHECK(same(sn::load_npy<std::int32_t, 2>(here / "x.npy"), sn::tensor<std::int32_t, 2>{{7, 8}}));
}

TEST_CASE("bools other than 0 and 1 become true") {
    const folder here;
    write(here / "x.npy", npy(dictionary("|b1", "(4,)"), std::string("\0\1\2\xff", 4)));
    CHECK(same(sn::load_npy<bool, 1>(here / "x.npy"), sn::tensor<bool, 1>{false, true, true, true}));
}

TEST_CASE("another type or rank than asked for is refused, with what would read it") {
    const folder here;
    const std::string path = here / "x.npy";
    sn::save_npy(path, sn::tensor<double, 2>(sn::shape<2>{3, 4}));
    const std::string message = "sinter: " + path + " holds float64 of shape (3, 4); load_npy<double, 2> reads it";
    CHECK(refusal([&] { (void)sn::load_npy<float, 2>(path); }) == message);
    CHECK(refusal([&] { (void)sn::load_npy<double, 1>(path); }) == message);
    CHECK(says(refusal_of<float, 1>(path, npy(dictionary("<i4", "()"), "1234")), "load_npy<std::int32_t, 0> reads it"));
    CHECK(says(refusal_of<float, 8>(path, npy(dictionary("<f4", "(1, 1, 1, 1, 1, 1, 1, 1, 1)"), "1234")),
               "8 axes at most"));
}

TEST_CASE("types that sinter does not have are named") {
    const folder here;
    const auto refused = [&](const std::string& descr) {
        const std::string text = "{'descr': " + descr + ", 'fortran_order': False, 'shape': (1,), }";
        return refusal_of<float, 1>(here / "x.npy", npy(text, std::string(16, '\0')));
    };
    CHECK(says(refused("'<f2'"), "holds float16 "));
    CHECK(says(refused("'<f16'"), "holds long double "));
    CHECK(says(refused("'<c8'"), "holds complex64 "));
    CHECK(says(refused("'|O'"), "holds Python objects "));
    CHECK(says(refused("'<M8[ns]'"), "holds dates "));
    CHECK(says(refused("'<U5'"), "holds strings "));
    CHECK(says(refused("'|S3'"), "holds byte strings "));
    CHECK(says(refused("'|V8'"), "holds raw or structured data "));
    CHECK(says(refused("[('a', '<f4'), ('b', '<i4')]"), "holds a structured type"));
    CHECK(says(refused("'<i3'"), "holds an unknown type "));
    CHECK(says(refused("''"), "holds an unknown type "));
    CHECK(says(refused("'<'"), "in NumPy, convert with astype"));
}

TEST_CASE("a file that is shorter or longer than its header says is refused") {
    const folder here;
    const std::string path = here / "x.npy";
    const std::string whole = npy(dictionary("<f4", "(2, 3)"), std::string(24, '\0'));
    for (std::size_t length = 0; length < whole.size(); ++length)
        CHECK(says(refusal_of<float, 2>(path, whole.substr(0, length)), path));
    CHECK(says(refusal_of<float, 2>(path, whole.substr(0, whole.size() - 1)),
               "takes 24 bytes, but is cut short: 23 are there"));
    CHECK(says(refusal_of<float, 2>(path, whole + "x"), "takes 24 bytes, but 25 follow the header"));
    CHECK(says(refusal_of<float, 2>(path, ""), "not in .npy format"));
    CHECK(says(refusal_of<float, 2>(path, "GIF89a and more"), "begins with \"GIF89a\""));
    CHECK(says(refusal_of<float, 2>(path, "\x93NUMPY\1"), "cut short"));
    CHECK(says(refusal_of<float, 2>(path, npy("{}", "", 4)), "version 4.0"));
    CHECK(says(refusal_of<float, 2>(path, std::string("\x93NUMPY\2\0\xff\xff\xff\xff{}", 14)), "cut short"));
    CHECK(says(refusal_of<float, 2>(path, npy(std::string(2'000'000, ' '), "", 2)), "header of 2000000 bytes"));
}

TEST_CASE("shapes that cannot be are refused before memory is taken") {
    const folder here;
    const auto refused = [&](const char* shape) {
        return refusal_of<float, 2>(here / "x.npy", npy(dictionary("<f4", shape), std::string(24, '\0')));
    };
    CHECK(says(refused("(-2, -3)"), "not negative"));
    CHECK(says(refused("(9223372036854775807, 9223372036854775807)"), "more bytes than 64 bits can count"));
    CHECK(says(refused("(4611686018427387904, 1)"), "more bytes than 64 bits can count"));
    CHECK(says(refused("(99999999999999999999, 0)"), "64 bits can hold"));
    CHECK(says(refused("(9223372036854775807, 4, 0)"), "more bytes than 64 bits can count"));
    CHECK(says(refused("(1000000000, 1000000000)"), "cut short: 24 are there"));
    CHECK(says(refused("(6)"), "',' after a single extent"));
    CHECK(says(refused("6"), "expected '('"));
    CHECK(says(refused("(2 3)"), "','"));
    CHECK(says(refused("(2.0, 3)"), "expected"));
    CHECK(says(refused("(2,, 3)"), "an extent"));
    std::string many = "(";
    for (int i = 0; i < 1000; ++i) many += "1, ";
    CHECK(says(refused((many + ")").c_str()), "64 extents"));
}

TEST_CASE("a header that is no dictionary of the three keys is refused") {
    const folder here;
    for (const char* text : {
             "", "{", "{}", "garbage", "[1, 2]", "{'descr'}", "{'descr': }", "{'descr': '<f4}", "{: '<f4'}",
             "{'descr': '<f4', 'fortran_order': False}",
             "{'descr': '<f4', 'shape': (1,)}",
             "{'fortran_order': False, 'shape': (1,)}",
             "{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}",
             "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1}",
             "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}",
             "{'descr': '<f4' 'fortran_order': False, 'shape': (1,)}",
             "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x",
             "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}}",
             "{'descr': '<f4', 'fortran_order': False, 'shape': (1,",
             "{'descr': b'<f4', 'fortran_order': False, 'shape': (1,)}",
         })
        CHECK(says(refusal_of<float, 1>(here / "x.npy", npy(text, "1234")), "has a damaged header"));
    CHECK(says(refusal_of<float, 1>(here / "x.npy", npy("{'descr': \x01\xff}", "")),
               "stands \"\\x01\\xff}\", expected"));
}

TEST_CASE("files that cannot be opened or written say why, and leave nothing") {
    const folder here;
    CHECK(says(refusal([&] { (void)sn::load_npy<float, 1>(here / "none.npy"); }), "No such file or directory"));
    CHECK(says(refusal([&] { (void)sn::load_npy<float, 1>(here.path.string()); }), "Is a directory"));
    CHECK(says(refusal([&] { (void)sn::load_npy<float, 1>("/dev/null"); }), "a device or a pipe"));
    const sn::tensor<float, 1> x{1, 2};
    CHECK(says(refusal([&] { sn::save_npy(here / "none/x.npy", x); }), "No such file or directory"));
    CHECK(says(refusal([&] { sn::save_npy(here.path.string(), x); }), "Is a directory"));
    if (fs::exists("/dev/full")) CHECK(says(refusal([&] { sn::save_npy("/dev/full", x); }), "No space left"));
    CHECK(here.files() == 0);
}

TEST_CASE("saving replaces a file, keeps its permissions, and follows a link") {
    const folder here;
    const sn::tensor<float, 1> x{1, 2};
    sn::save_npy(here / "x.npy", sn::tensor<float, 2>(sn::shape<2>{10, 10}));
    fs::permissions(here / "x.npy", fs::perms::owner_read | fs::perms::owner_write);
    fs::create_symlink("x.npy", here / "link.npy");
    sn::save_npy(here / "link.npy", x);
    CHECK(fs::is_symlink(here / "link.npy"));
    CHECK(same(sn::load_npy<float, 1>(here / "x.npy"), x));
    CHECK(fs::status(here / "x.npy").permissions() == (fs::perms::owner_read | fs::perms::owner_write));
    CHECK(here.files() == 2);
}

TEST_CASE("a mutated .npy file is a tensor or an io_error") {
    const folder here;
    std::mt19937_64 random(20240607);
    const std::string path = here / "x.npy";
    sn::save_npy(path, random_tensor<float, 2>({5, 7}, random));
    const std::string good = read(path);
    const std::string interesting = "(){}[]',:<>|=L0123456789-TrueFalse \n\0\xff\x80";
    int loaded = 0;
    for (int i = 0; i < 4000; ++i) {
        std::string bytes = good;
        for (std::uint64_t n = random() % 4 + 1; n-- > 0;) {
            const std::size_t at = random() % std::min<std::size_t>(bytes.size(), i % 2 ? 70 : 200);
            const char c = random() % 2 ? interesting[random() % interesting.size()] : static_cast<char>(random());
            switch (random() % 4) {
            case 0: bytes.insert(at, 1, c); break;
            case 1: bytes.erase(at, 1); break;
            default: bytes[at] = c;
            }
        }
        write(path, bytes);
        try {
            const auto x = sn::load_npy<float, 2>(path);
            CHECK(x.size() == 35);
            ++loaded;
        } catch (const sn::io_error&) {
        }
    }
    CHECK(loaded > 100); // spaces and values may change
    CHECK(loaded < 3900);
}

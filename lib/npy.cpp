// lib/npy.cpp -- arrays in .npy files: the header and what may be wrong with it, byte order, Fortran order.
//
// The format is NumPy's (numpy.lib.format): "\x93NUMPY", two bytes of version, the length of the header in 2 bytes
// (version 1) or 4 (2 and 3), a Python dictionary with keys descr, fortran_order and shape, and the values.

#include "npy.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include <sinter/core/error.hpp>
#include <sinter/io/npy.hpp>

#include "file.hpp"

namespace sinter::detail {
namespace {

constexpr std::size_t magic_bytes = 6;
constexpr char magic[magic_bytes + 1] = "\x93NUMPY";
constexpr std::size_t longest_header = std::size_t{1} << 20; // of types that sinter reads, 400 bytes say all
constexpr std::size_t most_axes = 64;
constexpr std::size_t chunk_bytes = std::size_t{1} << 18;    // stays in L2 while byte order is changed

constexpr dtype all_types[] = {dtype::boolean, dtype::int8,   dtype::int16,  dtype::int32,
                               dtype::int64,   dtype::uint8,  dtype::uint16, dtype::uint32,
                               dtype::uint64,  dtype::float32, dtype::float64};

/// Kind and bytes, as in "<f4".
std::string type_code(dtype type) {
    const char kind = type == dtype::boolean ? 'b' : type <= dtype::int64 ? 'i' : type <= dtype::uint64 ? 'u' : 'f';
    return kind + std::to_string(bytes_of(type));
}

/// What a user writes between < and >.
const char* cpp_name(dtype type) {
    constexpr const char* names[] = {"bool",          "std::int8_t",   "std::int16_t",  "std::int32_t",
                                     "std::int64_t",  "std::uint8_t",  "std::uint16_t", "std::uint32_t",
                                     "std::uint64_t", "float",         "double"};
    return names[static_cast<int>(type)];
}

/// The dictionary in a header: strict about what it says, lenient about order, spaces and a comma at the end.
class header_parser {
public:
    header_parser(const std::string& what, const std::string& text) : what_(what), text_(text) {}

    npy_header parse() {
        expect('{');
        while (!accept('}')) {
            parse_entry(string());
            if (!accept(',')) {
                expect('}');
                break;
            }
        }
        skip_spaces();
        if (at_ < text_.size()) fail("nothing after the dictionary");
        if (!has_type_ || !has_order_ || !has_shape_) fail("all of 'descr', 'fortran_order' and 'shape'");
        return header_;
    }

private:
    [[noreturn]] void fail(const std::string& wanted) const {
        const std::string found = at_ < text_.size() ? quoted(text_.substr(at_)) : "the end";
        throw io_error(what_ + " has a damaged header: at its byte " + std::to_string(at_) + " stands " + found +
                       ", expected " + wanted);
    }

    void skip_spaces() {
        while (at_ < text_.size() && std::strchr(" \t\r\n\f\v", text_[at_]) && text_[at_] != '\0') ++at_;
    }
    bool accept(char c) {
        skip_spaces();
        if (at_ == text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    void expect(char c) {
        if (!accept(c)) fail(std::string("'") + c + "'");
    }
    bool accept_word(const char* word) {
        skip_spaces();
        if (text_.compare(at_, std::strlen(word), word) != 0) return false;
        at_ += std::strlen(word);
        return true;
    }
    std::string string() {
        skip_spaces();
        const char quote = at_ < text_.size() ? text_[at_] : ' ';
        const std::size_t end = quote == '\'' || quote == '"' ? text_.find(quote, at_ + 1) : std::string::npos;
        if (end == std::string::npos) fail("a quoted word");
        std::string word = text_.substr(at_ + 1, end - at_ - 1);
        at_ = end + 1;
        return word;
    }

    void once(bool& seen) {
        if (seen) fail("each key once");
        seen = true;
    }

    void parse_entry(const std::string& key) {
        expect(':');
        if (key == "descr") {
            once(has_type_);
            skip_spaces();
            if (at_ < text_.size() && (text_[at_] == '[' || text_[at_] == '(' || text_[at_] == '{'))
                refuse_type("a structured type, " + quoted(text_.substr(at_)));
            parse_type(string());
        } else if (key == "fortran_order") {
            once(has_order_);
            header_.fortran_order = accept_word("True");
            if (!header_.fortran_order && !accept_word("False")) fail("True or False");
        } else if (key == "shape") {
            once(has_shape_);
            parse_shape();
        } else {
            throw io_error(what_ + " has a damaged header: the key " + quoted(key) +
                           " is not one of 'descr', 'fortran_order' and 'shape'");
        }
    }

    [[noreturn]] void refuse_type(const std::string& found) const {
        throw io_error(what_ + " holds " + found +
                       "; sinter reads bool, int8 to int64, uint8 to uint64, float32 and float64: in NumPy, convert "
                       "with astype before saving");
    }

    void parse_type(const std::string& descr) {
        const bool has_order = !descr.empty() && std::strchr("<>|=", descr[0]) && descr[0] != '\0';
        const std::string code = descr.substr(has_order ? 1 : 0);
        const auto found = std::find_if(std::begin(all_types), std::end(all_types),
                                        [&](dtype type) { return type_code(type) == code; });
        if (found == std::end(all_types)) refuse_type(other_type(code) + " (descr " + quoted(descr) + ")");
        header_.type = *found;
        const char foreign = std::endian::native == std::endian::little ? '>' : '<';
        header_.byte_swapped = descr[0] == foreign && bytes_of(*found) > 1;
    }

    static std::string other_type(const std::string& code) {
        if (code == "f2") return "float16";
        if (code == "c8") return "complex64";
        if (code == "c16") return "complex128";
        switch (code.empty() ? ' ' : code[0]) {
        case 'f': return "long double";
        case 'c': return "complex long double";
        case 'O': return "Python objects";
        case 'S':
        case 'a': return "byte strings";
        case 'U': return "strings";
        case 'V': return "raw or structured data";
        case 'M': return "dates";
        case 'm': return "time spans";
        default: return "an unknown type";
        }
    }

    void parse_shape() {
        expect('(');
        bool comma = true; // "(3)" is a number in Python, not a tuple
        while (!accept(')')) {
            if (!comma) fail("',' or ')'");
            if (header_.shape.size() == most_axes) fail("64 extents at most, as in NumPy");
            header_.shape.push_back(extent());
            comma = accept(',');
            if (!comma && header_.shape.size() == 1) fail("',' after a single extent");
        }
    }

    std::int64_t extent() {
        if (accept('-')) fail("an extent that is not negative");
        const std::size_t first = at_;
        std::int64_t value = 0;
        for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
            if (__builtin_mul_overflow(value, std::int64_t{10}, &value) ||
                __builtin_add_overflow(value, std::int64_t{text_[at_] - '0'}, &value))
                fail("an extent that 64 bits can hold");
        }
        if (at_ == first) fail("an extent");
        if (at_ < text_.size() && text_[at_] == 'L') ++at_; // Python 2
        return value;
    }

    const std::string& what_;
    const std::string& text_;
    std::size_t at_ = 0;
    npy_header header_;
    bool has_type_ = false, has_order_ = false, has_shape_ = false;
};

/// The magic, the version and the length of the dictionary.
std::size_t read_preamble(byte_source& source) {
    std::array<unsigned char, 12> bytes{};
    const std::size_t some = static_cast<std::size_t>(std::min<std::uint64_t>(source.left(), magic_bytes));
    source.read(bytes.data(), some);
    const std::string start(bytes.begin(), bytes.begin() + some);
    if (start.substr(0, 4) == "PK\3\4")
        throw io_error(source.what() + " is a zip file of arrays: read it with load_npz");
    if (start != magic)
        throw io_error(source.what() + " is not in .npy format: it begins with " + quoted(start) + ", not with " +
                       quoted(magic));
    const auto need = [&](std::size_t count) {
        if (source.left() < count)
            throw io_error(source.what() + " is cut short: it ends before its header does");
    };
    need(2);
    source.read(bytes.data(), 2);
    if (bytes[0] < 1 || bytes[0] > 3 || bytes[1] != 0)
        throw io_error(source.what() + " has version " + std::to_string(bytes[0]) + "." + std::to_string(bytes[1]) +
                       " of the .npy format; sinter reads 1.0, 2.0 and 3.0");
    const std::size_t width = bytes[0] == 1 ? 2 : 4;
    need(width);
    source.read(bytes.data(), width);
    std::size_t length = 0;
    for (std::size_t i = width; i-- > 0;) length = length << 8 | bytes[i];
    need(length);
    if (length > longest_header)
        throw io_error(source.what() + " has a header of " + std::to_string(length) +
                       " bytes; that of a plain array is shorter than " + std::to_string(longest_header));
    return length;
}

void check_size(const byte_source& source, npy_header& header) {
    std::uint64_t bytes = bytes_of(header.type);
    bool empty = false;
    const std::string holds = source.what() + " says it holds " + name(header.type) + " of shape " + text(header.shape);
    for (const std::int64_t extent : header.shape) {
        if (extent == 0)
            empty = true;
        else if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(extent), &bytes) || bytes >> 63 != 0)
            throw io_error(holds + ": more bytes than 64 bits can count");
    }
    header.bytes = empty ? 0 : bytes;
    if (source.left() == header.bytes) return;
    const std::string need = holds + ", which takes " + std::to_string(header.bytes) + " bytes, ";
    if (source.left() < header.bytes)
        throw io_error(need + "but is cut short: " + std::to_string(source.left()) + " are there");
    throw io_error(need + "but " + std::to_string(source.left()) + " follow the header");
}

template <std::size_t Bytes>
void swap_bytes(unsigned char* values, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; i += Bytes) std::reverse(values + i, values + i + Bytes);
}

/// Reads all values in the file's order, in the machine's byte order.
void read_in_order(byte_source& source, const npy_header& header, unsigned char* to) {
    for (std::uint64_t done = 0; done < header.bytes;) {
        const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(chunk_bytes, header.bytes - done));
        unsigned char* chunk = to + done;
        source.read(chunk, count);
        if (header.type == dtype::boolean)
            for (std::size_t i = 0; i < count; ++i) chunk[i] = chunk[i] != 0;
        if (header.byte_swapped) {
            const std::size_t width = bytes_of(header.type);
            if (width == 2) swap_bytes<2>(chunk, count);
            if (width == 4) swap_bytes<4>(chunk, count);
            if (width == 8) swap_bytes<8>(chunk, count);
        }
        done += count;
    }
}

/// Copies from first-axis-fastest to last-axis-fastest order, in tiles over these two axes.
template <class Word>
void from_fortran_order(extents shape, const Word* from, Word* to) {
    constexpr std::int64_t tile = 32;
    const std::size_t rank = shape.size();
    const std::int64_t rows = shape.front(), columns = shape.back();
    std::vector<std::int64_t> from_strides(rank, 1), to_strides(rank, 1), index(rank, 0);
    for (std::size_t k = 1; k < rank; ++k) {
        from_strides[k] = from_strides[k - 1] * shape[k - 1];
        to_strides[rank - 1 - k] = to_strides[rank - k] * shape[rank - k];
    }
    for (;;) { // once for each index along the axes between
        const Word* source = from;
        Word* target = to;
        for (std::size_t k = 1; k + 1 < rank; ++k) {
            source += index[k] * from_strides[k];
            target += index[k] * to_strides[k];
        }
        for (std::int64_t i0 = 0; i0 < rows; i0 += tile)
            for (std::int64_t j0 = 0; j0 < columns; j0 += tile)
                for (std::int64_t i = i0; i < std::min(i0 + tile, rows); ++i)
                    for (std::int64_t j = j0; j < std::min(j0 + tile, columns); ++j)
                        target[i * to_strides[0] + j] = source[i + j * from_strides[rank - 1]];
        std::size_t k = 1;
        while (k + 1 < rank && ++index[k] == shape[k]) index[k++] = 0;
        if (k + 1 >= rank) return;
    }
}

void from_fortran_order(dtype type, extents shape, const void* from, void* to) {
    const auto copy = [&]<class Word>(Word) {
        from_fortran_order(shape, static_cast<const Word*>(from), static_cast<Word*>(to));
    };
    switch (bytes_of(type)) {
    case 1: return copy(std::uint8_t{});
    case 2: return copy(std::uint16_t{});
    case 4: return copy(std::uint32_t{});
    default: return copy(std::uint64_t{});
    }
}

/// A whole file.
class file_source : public byte_source {
public:
    explicit file_source(input_file file) : byte_source(file.path(), file.size()), file_(std::move(file)) {}

private:
    void read_some(void* to, std::size_t bytes) override { file_.read(to, bytes); }
    input_file file_;
};

} // namespace

void byte_source::read(void* to, std::size_t bytes) {
    if (bytes > left_) throw io_error(what_ + " is cut short");
    if (bytes > 0) read_some(to, bytes);
    left_ -= bytes;
}

std::string quoted(const std::string& text) {
    std::string result = "\"";
    for (const char c : text.substr(0, 40)) {
        if (c >= ' ' && c <= '~') {
            result += c;
        } else {
            constexpr char digits[] = "0123456789abcdef";
            const auto byte = static_cast<unsigned char>(c);
            result += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
        }
    }
    return result + (text.size() > 40 ? "…\"" : "\"");
}

npy_header read_npy_header(byte_source& source) {
    std::string text(read_preamble(source), '\0');
    source.read(text.data(), text.size());
    npy_header header = header_parser(source.what(), text).parse();
    check_size(source, header);
    return header;
}

std::string npy_header_text(dtype type, extents shape) {
    const char order = bytes_of(type) == 1 ? '|' : std::endian::native == std::endian::little ? '<' : '>';
    std::string dictionary = std::string("{'descr': '") + order + type_code(type) +
                             "', 'fortran_order': False, 'shape': " + text(shape) + ", }";
    // NumPy leaves room for the first extent to grow to 20 digits.
    if (!shape.empty()) dictionary.append(21 - std::to_string(shape[0]).size(), ' ');
    const std::size_t before = magic_bytes + 4;
    dictionary.append(64 - (before + dictionary.size() + 1) % 64, ' ');
    dictionary += '\n';
    std::string result(magic, magic_bytes);
    result += {'\1', '\0', static_cast<char>(dictionary.size() & 255), static_cast<char>(dictionary.size() >> 8)};
    return result + dictionary;
}

struct array_reader::state {
    std::unique_ptr<byte_source> source;
    npy_header header;
};

array_reader::array_reader(const std::string& path, const std::string* member, dtype type,
                           std::span<std::int64_t> shape)
    : state_(std::make_unique<state>()) {
    state_->source = member ? open_npz_member(path, *member) : std::make_unique<file_source>(input_file(path));
    state_->header = read_npy_header(*state_->source);
    const npy_header& header = state_->header;
    const std::string holds =
        state_->source->what() + " holds " + name(header.type) + " of shape " + text(header.shape) + "; ";
    if (header.shape.size() > static_cast<std::size_t>(max_rank))
        throw io_error(holds + "tensors have " + std::to_string(max_rank) + " axes at most");
    if (header.type != type || header.shape.size() != shape.size())
        throw io_error(holds + (member ? "load_npz<" : "load_npy<") + cpp_name(header.type) + ", " +
                       std::to_string(header.shape.size()) + "> reads it");
    std::copy(header.shape.begin(), header.shape.end(), shape.begin());
}

array_reader::~array_reader() = default;

void array_reader::read(void* values) {
    const npy_header& header = state_->header;
    if (header.fortran_order && header.shape.size() > 1 && header.bytes > 0) {
        const buffer in_file_order(static_cast<std::size_t>(header.bytes));
        read_in_order(*state_->source, header, static_cast<unsigned char*>(in_file_order.data()));
        from_fortran_order(header.type, header.shape, in_file_order.data(), values);
    } else {
        read_in_order(*state_->source, header, static_cast<unsigned char*>(values));
    }
    state_->source->finish();
}

void write_npy(const std::string& path, dtype type, extents shape, const void* values) {
    const std::string header = npy_header_text(type, shape);
    output_file file(path);
    file.write(header.data(), header.size());
    std::size_t bytes = bytes_of(type);
    for (const std::int64_t extent : shape) bytes *= static_cast<std::size_t>(extent);
    file.write(values, bytes);
    file.commit();
}

} // namespace sinter::detail

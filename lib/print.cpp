// lib/print.cpp -- a tensor as text: which elements are shown, one word for each, and the words in lines and brackets.
//
// NumPy 2.2 is the model, to the character. Its rules, which the functions below follow in this order:
//   shown   above 1000 elements, an axis longer than 6 shows its first and last 3 entries around "..."
//   words   all have one width. Floats have the fewest digits that read back as the same value, at most 8 after the
//           point. If one shown value is 1e8 or more, or below 1e-4, or 1000 times another, all are in scientific form
//   lines   at most 75 characters; axes beyond the last are separated by one line end more for each

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ostream>
#include <span>
#include <string_view>
#include <vector>

#include <sinter/io/print.hpp>

namespace sinter::detail {
namespace {

constexpr std::int64_t shown_in_full = 1000;
constexpr std::int64_t edge = 3;
constexpr std::size_t line_width = 75;
constexpr int fraction_digits = 8;

using words = std::vector<std::string>;

bool is_cut(std::int64_t extent, bool summarised) {
    return summarised && extent > 2 * edge;
}

/// Positions of the shown elements, in the order of printing.
void add_shown(extents shape, bool summarised, std::int64_t first, std::vector<std::int64_t>& positions) {
    if (shape.empty()) {
        positions.push_back(first);
        return;
    }
    std::int64_t stride = 1;
    for (const std::int64_t extent : shape.subspan(1)) stride *= extent;
    for (std::int64_t i = 0; i < shape[0]; ++i) {
        if (is_cut(shape[0], summarised) && i == edge) i = shape[0] - edge;
        add_shown(shape.subspan(1), summarised, first + i * stride, positions);
    }
}

std::string right_aligned(std::string word, std::size_t width) {
    if (word.size() < width) word.insert(0, width - word.size(), ' ');
    return word;
}

words right_aligned(words all) {
    std::size_t width = 0;
    for (const auto& word : all) width = std::max(width, word.size());
    for (auto& word : all) word = right_aligned(std::move(word), width);
    return all;
}

/// The magnitude of a finite value: digits d1.d2d3… times 10^exponent, without zeros at the end.
struct decimal {
    std::string digits;
    int exponent = 0;
};

decimal without_trailing_zeros(decimal d) {
    d.digits.erase(std::max<std::size_t>(d.digits.find_last_not_of('0') + 1, 1));
    return d;
}

/// From "1.25e-07".
decimal parse_scientific(std::string_view text) {
    decimal d;
    const std::size_t e = text.find('e');
    for (const char c : text.substr(0, e))
        if (c != '.') d.digits += c;
    const bool negative = text[e + 1] == '-';
    std::from_chars(text.data() + e + 2, text.data() + text.size(), d.exponent);
    if (negative) d.exponent = -d.exponent;
    return d;
}

/// The fewest digits that read back as the same T.
template <class T>
decimal shortest(T value) {
    char text[64];
    const auto end = std::to_chars(text, text + sizeof text, std::abs(value), std::chars_format::scientific).ptr;
    return without_trailing_zeros(parse_scientific({text, end}));
}

/// The value to so many digits, rounded correctly.
template <class T>
decimal rounded(T value, int digits) {
    char text[64];
    const auto end =
        std::to_chars(text, text + sizeof text, std::abs(value), std::chars_format::scientific, digits - 1).ptr;
    return parse_scientific({text, end});
}

/// A number cut at its point, for alignment.
struct parts {
    std::string integer; // with the sign
    std::string fraction;
    std::string exponent; // its digits, two at least
    bool negative_exponent = false;
};

parts positional(const decimal& d, bool negative) {
    parts p;
    if (negative) p.integer = "-";
    if (d.exponent < 0) {
        p.integer += '0';
        p.fraction = std::string(static_cast<std::size_t>(-d.exponent - 1), '0') + d.digits;
    } else {
        const std::size_t integer_digits = static_cast<std::size_t>(d.exponent) + 1;
        std::string digits = d.digits;
        if (digits.size() < integer_digits) digits.resize(integer_digits, '0');
        p.integer += digits.substr(0, integer_digits);
        p.fraction = digits.substr(integer_digits);
    }
    return p;
}

parts scientific(const decimal& d, bool negative) {
    parts p;
    p.integer = negative ? "-" : "";
    p.integer += d.digits[0];
    p.fraction = d.digits.substr(1);
    p.negative_exponent = d.exponent < 0;
    p.exponent = std::to_string(std::abs(d.exponent));
    if (p.exponent.size() < 2) p.exponent.insert(0, 1, '0');
    return p;
}

template <class T>
std::string not_finite(T value) {
    return std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
}

/// At most 8 digits after the point, and all before it: beyond the shortest digits those of the value itself.
template <class T>
parts positional_word(T value) {
    decimal d = shortest(value);
    const int after_point = static_cast<int>(d.digits.size()) - 1 - d.exponent;
    if (after_point > fraction_digits) d = without_trailing_zeros(rounded(value, d.exponent + 1 + fraction_digits));
    if (after_point < 0) d = rounded(value, d.exponent + 1);
    return positional(d, std::signbit(value));
}

/// Exactly so many digits after the point: beyond the shortest digits those of the value itself.
template <class T>
parts scientific_word(T value, int after_point) {
    decimal d = shortest(value);
    if (static_cast<int>(d.digits.size()) - 1 != after_point) d = rounded(value, after_point + 1);
    return scientific(d, std::signbit(value));
}

/// How the shown finite values are written, decided for all of them together.
template <class T>
bool needs_scientific(const std::vector<T>& finite) {
    T least = 0;
    T most = 0;
    for (const T value : finite) {
        const T magnitude = std::abs(value);
        if (magnitude == 0) continue;
        least = least == 0 ? magnitude : std::min(least, magnitude);
        most = std::max(most, magnitude);
    }
    return most != 0 && (most >= T(1e8) || least < T(1e-4) || most / least > T(1000));
}

/// Digits after the point that scientific form shows: as many as the longest value has, up to 8.
template <class T>
int scientific_digits(const std::vector<T>& finite) {
    std::size_t digits = 0;
    for (const T value : finite) {
        decimal d = shortest(value);
        if (d.digits.size() > 1 + fraction_digits) d = without_trailing_zeros(rounded(value, 1 + fraction_digits));
        digits = std::max(digits, d.digits.size() - 1);
    }
    return static_cast<int>(digits);
}

/// Values of one form in a column: points, and in scientific form exponents, below each other.
words aligned(const std::vector<parts>& all, bool scientific_form) {
    std::size_t before = 0, after = 0, exponent = 0;
    for (const auto& p : all) {
        before = std::max(before, p.integer.size());
        after = std::max(after, p.fraction.size());
        exponent = std::max(exponent, p.exponent.size());
    }
    words result;
    for (const auto& p : all) {
        std::string word = right_aligned(p.integer, before) + "." + p.fraction;
        word.append(after - p.fraction.size(), scientific_form ? '0' : ' ');
        if (scientific_form)
            word += (p.negative_exponent ? "e-" : "e+") + std::string(exponent - p.exponent.size(), '0') + p.exponent;
        result.push_back(std::move(word));
    }
    return result;
}

template <class T>
words floating_words(const std::vector<T>& values) {
    std::vector<T> finite;
    for (const T value : values)
        if (std::isfinite(value)) finite.push_back(value);
    const bool scientific_form = needs_scientific(finite);
    const int digits = scientific_form ? scientific_digits(finite) : 0;
    std::vector<parts> numbers;
    for (const T value : finite)
        numbers.push_back(scientific_form ? scientific_word(value, digits) : positional_word(value));
    words written = aligned(numbers, scientific_form);
    words result;
    std::size_t next = 0;
    for (const T value : values) result.push_back(std::isfinite(value) ? written[next++] : not_finite(value));
    return right_aligned(std::move(result));
}

/// One value on its own: as many digits as it needs, in scientific form from 1e16 and below 1e-4.
template <class T>
std::string single_word(T value) {
    if constexpr (std::is_same_v<T, bool>)
        return value ? "True" : "False";
    else if constexpr (std::is_integral_v<T>)
        return std::to_string(value);
    else {
        if (!std::isfinite(value)) return not_finite(value);
        const double magnitude = std::abs(static_cast<double>(value)); // as NumPy: 1e-4f is below 1e-4
        const decimal d = shortest(value);
        if (magnitude == 0 || (magnitude < 1e16 && magnitude >= 1e-4)) {
            const parts p = positional(d, std::signbit(value));
            return p.integer + "." + (p.fraction.empty() ? "0" : p.fraction);
        }
        const parts p = scientific(d, std::signbit(value));
        const std::string point = p.fraction.empty() ? "" : ".";
        return p.integer + point + p.fraction + (p.negative_exponent ? "e-" : "e+") + p.exponent;
    }
}

template <class T>
words words_of(const T* values, const std::vector<std::int64_t>& positions) {
    if constexpr (std::is_floating_point_v<T>) {
        std::vector<T> shown;
        for (const std::int64_t position : positions) shown.push_back(values[position]);
        return floating_words(shown);
    } else {
        words result;
        for (const std::int64_t position : positions) result.push_back(single_word(values[position]));
        if (std::is_same_v<T, bool>)
            for (auto& word : result) word = right_aligned(std::move(word), 5); // even where all are True
        return right_aligned(std::move(result));
    }
}

/// Puts words into lines and brackets.
class arrangement {
public:
    arrangement(extents shape, bool summarised, const words& all)
        : shape_(shape), summarised_(summarised), next_(all.begin()) {}

    std::string text() {
        add_axis(0);
        return std::move(text_);
    }

private:
    void add_axis(std::size_t axis) {
        if (axis + 1 == shape_.size()) return add_row(axis);
        const std::string separator =
            std::string(shape_.size() - axis - 1, '\n') + std::string(axis + 1, ' ');
        const bool cut = is_cut(shape_[axis], summarised_);
        const std::int64_t entries = cut ? 2 * edge : shape_[axis];
        text_ += '[';
        for (std::int64_t i = 0; i < entries; ++i) {
            if (i > 0) text_ += separator;
            if (cut && i == edge) text_ += "..." + separator;
            add_axis(axis + 1);
        }
        text_ += ']';
    }

    /// The last axis: as many words as a line holds, further lines indented below the first word.
    void add_row(std::size_t axis) {
        const std::string indent(axis + 1, ' ');
        const bool cut = is_cut(shape_[axis], summarised_);
        const std::int64_t entries = cut ? 2 * edge : shape_[axis];
        std::string row;
        std::string line = indent;
        const auto add = [&](const std::string& word) {
            if (line.size() + word.size() > line_width - shape_.size() && line.size() > indent.size()) {
                line.erase(line.find_last_not_of(' ') + 1);
                row += line + '\n';
                line = indent;
            }
            line += word;
        };
        for (std::int64_t i = 0; i < entries; ++i) {
            if (i > 0) line += ' ';
            if (cut && i == edge) {
                add("...");
                line += ' ';
            }
            add(*next_++);
        }
        row += line;
        text_ += '[' + row.substr(indent.size()) + ']';
    }

    extents shape_;
    bool summarised_;
    words::const_iterator next_;
    std::string text_;
};

template <class T>
std::string text_of(extents shape, const T* values) {
    if (shape.empty()) return single_word(*values);
    std::int64_t size = 1;
    for (const std::int64_t extent : shape) size *= extent;
    if (size == 0) return "[]";
    const bool summarised = size > shown_in_full;
    std::vector<std::int64_t> positions;
    add_shown(shape, summarised, 0, positions);
    return arrangement(shape, summarised, words_of(values, positions)).text();
}

} // namespace

std::string values_text(dtype type, extents shape, const void* values) {
    switch (type) {
    case dtype::boolean: return text_of(shape, static_cast<const bool*>(values));
    case dtype::int8: return text_of(shape, static_cast<const std::int8_t*>(values));
    case dtype::int16: return text_of(shape, static_cast<const std::int16_t*>(values));
    case dtype::int32: return text_of(shape, static_cast<const std::int32_t*>(values));
    case dtype::int64: return text_of(shape, static_cast<const std::int64_t*>(values));
    case dtype::uint8: return text_of(shape, static_cast<const std::uint8_t*>(values));
    case dtype::uint16: return text_of(shape, static_cast<const std::uint16_t*>(values));
    case dtype::uint32: return text_of(shape, static_cast<const std::uint32_t*>(values));
    case dtype::uint64: return text_of(shape, static_cast<const std::uint64_t*>(values));
    case dtype::float32: return text_of(shape, static_cast<const float*>(values));
    case dtype::float64: return text_of(shape, static_cast<const double*>(values));
    }
    return {};
}

std::ostream& write_text(std::ostream& stream, const std::string& text) {
    return stream << text;
}

} // namespace sinter::detail

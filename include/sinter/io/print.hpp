// sinter/io/print.hpp -- a tensor as text, laid out as NumPy's print does it.
//
// The text is that of NumPy 1.14 to 2.2 with its default options: 8 digits after the point at most, lines of 75
// characters, and only the first and last three entries of long axes once a tensor has more than 1000 elements.
#pragma once

#include <iosfwd>
#include <string>

#include <sinter/core/tensor.hpp>
#include <sinter/expr/concepts.hpp>

namespace sinter {

namespace detail {

/// The text of row-major values. lib/print.cpp.
std::string values_text(dtype type, extents shape, const void* values);
std::ostream& write_text(std::ostream& stream, const std::string& text);

} // namespace detail

/// The values of an expression, evaluated if they are not yet, as NumPy's str(array) spells them.
template <expression E>
std::string to_string(const E& e) {
    const tensor<value_type<E>, rank<E>>& values = e;
    return detail::values_text(detail::dtype_of<value_type<E>>(), values.shape(), values.data());
}

/// Writes to_string(e), padded to the stream's width.
template <expression E>
std::ostream& operator<<(std::ostream& stream, const E& e) {
    return detail::write_text(stream, to_string(e));
}

} // namespace sinter

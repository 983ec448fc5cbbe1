// sinter/io/npy.hpp -- tensors in NumPy's files: .npy (one array) and .npz (a zip of named arrays).
//
// Files are checked before memory is taken: a file that is cut short, or whose header does not agree with its size, is
// an io_error that says what was found. Types and ranks are never converted silently. Reading takes the memory of the
// result (for Fortran order once more while reading); writing takes none.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <sinter/core/tensor.hpp>
#include <sinter/expr/concepts.hpp>

namespace sinter {

namespace detail {

/// An array in a file, checked when opened. lib/npy.cpp.
class array_reader {
public:
    /// Opens a .npy file or, if `member` is given, an array of a .npz file. Writes its shape to `shape`. Throws
    /// io_error, also unless the array has this type and as many axes as `shape` has room for.
    array_reader(const std::string& path, const std::string* member, dtype type, std::span<std::int64_t> shape);
    ~array_reader();
    array_reader(const array_reader&) = delete;
    array_reader& operator=(const array_reader&) = delete;

    /// Reads all values, in row-major order. Throws io_error. Once only.
    void read(void* values);

private:
    struct state;
    std::unique_ptr<state> state_;
};

template <element T, int N>
tensor<T, N> load(const std::string& path, const std::string* member) {
    sinter::shape<N> shape{};
    array_reader reader(path, member, dtype_of<T>(), shape);
    tensor<T, N> result(shape);
    reader.read(result.mutable_data());
    return result;
}

void write_npy(const std::string& path, dtype type, extents shape, const void* values);

} // namespace detail

/// Reads a .npy file of format 1, 2 or 3, either byte order, C or Fortran order. Throws io_error when the file cannot
/// be read, is not what it says, or does not hold N axes of T.
template <element T, int N>
tensor<T, N> load_npy(const std::string& path) {
    return detail::load<T, N>(path, nullptr);
}

/// Writes an expression, evaluated if it is not yet, as NumPy's save does: the same bytes. The file appears complete or
/// not at all. Throws io_error.
template <expression E>
void save_npy(const std::string& path, const E& e) {
    const tensor<value_type<E>, rank<E>>& values = e;
    detail::write_npy(path, detail::dtype_of<value_type<E>>(), values.shape(), values.data());
}

/// Reads one array of a .npz file, stored or deflated, and compares its checksum. Throws io_error as load_npy does, and
/// with the names that are there when `name` is not.
template <element T, int N>
tensor<T, N> load_npz(const std::string& path, const std::string& name) {
    return detail::load<T, N>(path, &name);
}

/// The names of the arrays in a .npz file, in the file's order. Throws io_error.
std::vector<std::string> npz_names(const std::string& path);

/// A name and its values, for save_npz. An expression is evaluated here; a tensor is shared.
class npz_entry {
public:
    template <expression E>
    npz_entry(std::string name, const E& e) : name_(std::move(name)), type_(detail::dtype_of<value_type<E>>()) {
        const auto values = std::make_shared<const tensor<value_type<E>, rank<E>>>(e);
        shape_ = values->shape();
        data_ = values->data();
        values_ = values;
    }

    const std::string& name() const { return name_; }
    dtype type() const { return type_; }
    detail::extents shape() const { return shape_; }
    const void* data() const { return data_; }

private:
    std::string name_;
    dtype type_;
    detail::extents shape_; // points into *values_, as data_ does
    const void* data_ = nullptr;
    std::shared_ptr<const void> values_;
};

/// How save_npz packs arrays: as they are, or smaller and slower, as numpy.savez_compressed.
enum class compression { none, deflate };

/// Writes named tensors or expressions: save_npz("model.npz", {{"w", w}, {"b", b}}). The same values give the same
/// bytes. The file appears complete or not at all. Throws io_error, also for a name that is empty or used twice.
void save_npz(const std::string& path, std::span<const npz_entry> entries, compression packing = compression::none);
inline void save_npz(const std::string& path, std::initializer_list<npz_entry> entries,
                     compression packing = compression::none) {
    save_npz(path, std::span<const npz_entry>(entries.begin(), entries.size()), packing);
}

} // namespace sinter

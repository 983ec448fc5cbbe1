// lib/shape.cpp -- counting elements, resolving slices and reshapes, and the messages about shapes that do not fit.

#include <algorithm>
#include <cmath>

#include <sinter/expr/create.hpp>
#include <sinter/fuse/lower.hpp>

namespace sinter::detail {

std::string text(extents shape) {
    std::string r = "(";
    for (std::size_t k = 0; k < shape.size(); ++k) {
        if (k > 0) r += ", ";
        r += std::to_string(shape[k]);
    }
    return r + (shape.size() == 1 ? ",)" : ")");
}

std::int64_t element_count(extents shape, std::size_t bytes) {
    std::int64_t count = 1;
    bool empty = false;
    for (const std::int64_t extent : shape) {
        if (extent < 0) throw shape_error("shape " + text(shape) + ": an extent cannot be negative");
        empty |= extent == 0;
    }
    if (empty) return 0;
    std::int64_t total = static_cast<std::int64_t>(bytes);
    for (const std::int64_t extent : shape) {
        if (__builtin_mul_overflow(total, extent, &total))
            throw shape_error("shape " + text(shape) + ": more bytes than 64 bits can count");
        count *= extent; // no more than total
    }
    return count;
}

void throw_no_broadcast(const char* operation, extents a, extents b) {
    const std::size_t rank = std::max(a.size(), b.size());
    std::string where;
    for (std::size_t k = 0; k < rank && where.empty(); ++k) {
        const std::int64_t x = k + a.size() >= rank ? a[k + a.size() - rank] : 1;
        const std::int64_t y = k + b.size() >= rank ? b[k + b.size() - rank] : 1;
        if (x != y && x != 1 && y != 1)
            where = "axis " + std::to_string(static_cast<std::int64_t>(k) - static_cast<std::int64_t>(rank)) + " is " +
                    std::to_string(x) + " and " + std::to_string(y);
    }
    throw shape_error(std::string(operation) + ": shapes " + text(a) + " and " + text(b) + " do not broadcast: " + where +
                      "; extents must be equal or 1: use a slice, reshape or expand_dims");
}

void throw_shape_mismatch(const char* operation, extents given, extents wanted) {
    throw shape_error(std::string(operation) + ": given shape " + text(given) + ", but the target has shape " + text(wanted));
}

void throw_ragged(std::int64_t given, std::int64_t wanted) {
    throw shape_error("tensor from nested braces: a row has " + std::to_string(given) + " elements where the first has " +
                      std::to_string(wanted) + "; all rows must be equally long");
}

void throw_index(std::int64_t index, int axis, std::int64_t extent) {
    throw index_error("index " + std::to_string(index) + " is outside axis " + std::to_string(axis) + " of extent " +
                      std::to_string(extent) +
                      (extent == 0 ? "" : ": use " + std::to_string(-extent) + " to " + std::to_string(extent - 1)));
}

void throw_squeeze(int axis, extents shape) {
    throw shape_error("squeeze: axis " + std::to_string(axis) + " of shape " + text(shape) +
                      " is not 1; only axes of extent 1 can be dropped");
}

void throw_reshape(extents from, extents to) {
    throw shape_error("reshape: shape " + text(from) + " has not as many elements as " + text(to));
}

void resolve_reshape(extents from, std::span<std::int64_t> wanted) {
    std::int64_t known = 1;
    std::int64_t* open = nullptr;
    for (auto& extent : wanted) {
        if (extent == -1) {
            if (open) throw shape_error("reshape to " + text(wanted) + ": only one extent can be -1");
            open = &extent;
        } else if (extent < 0 || __builtin_mul_overflow(known, extent, &known)) {
            throw_reshape(from, wanted);
        }
    }
    const std::int64_t count = element_count(from, 1);
    if (open) {
        if (known == 0 || count % known != 0) throw_reshape(from, wanted);
        *open = count / known;
    } else if (known != count) {
        throw_reshape(from, wanted);
    }
}

bool reshape_strides(extents from, extents to, std::int64_t* strides) {
    // Blocks of axes of `from` and of `to` with equal products match one by one; inside a block of `from`, the axes must
    // be spaced like one axis.
    std::int64_t result[max_rank] = {};
    std::size_t i = 0, j = 0;
    if (element_count(from, 1) == 0) {
        std::fill(strides, strides + max_rank, 0);
        return true;
    }
    while (true) {
        while (i < from.size() && from[i] == 1) ++i;
        while (j < to.size() && to[j] == 1) ++j;
        if (i == from.size() || j == to.size()) break;
        std::size_t i_end = i + 1, j_end = j + 1;
        std::int64_t x = from[i], y = to[j];
        while (x != y) {
            if (x < y)
                x *= from[i_end++];
            else
                y *= to[j_end++];
        }
        std::int64_t stride = 0, spaced = 0;
        bool any = false;
        for (std::size_t k = i_end; k-- > i;) {
            if (from[k] == 1) continue;
            if (any && strides[k] != spaced) return false;
            if (!any) stride = strides[k];
            any = true;
            spaced = strides[k] * from[k];
        }
        for (std::size_t k = j_end; k-- > j;) {
            result[k] = stride;
            stride *= to[k];
        }
        i = i_end;
        j = j_end;
    }
    std::copy(result, result + max_rank, strides);
    return true;
}

clipped_range clip(const range& r, std::int64_t extent) {
    if (r.step == 0) throw index_error("range: the step is 0; it must move");
    const bool backwards = r.step < 0;
    const std::int64_t lowest = backwards ? -1 : 0, highest = backwards ? extent - 1 : extent;
    const auto bound = [&](std::int64_t b, std::int64_t when_open) {
        if (b == range::open) return when_open;
        return std::clamp(b < 0 ? b + extent : b, lowest, highest);
    };
    const std::int64_t from = bound(r.from, backwards ? highest : lowest);
    const std::int64_t to = bound(r.to, backwards ? lowest : highest);
    const std::int64_t length = backwards ? from - to : to - from;
    if (length <= 0) return {0, 0, 1};
    const std::int64_t stride = backwards ? -(r.step + 1) : r.step - 1; // |step| - 1, which always fits
    return {from, (length - 1) / (stride == std::numeric_limits<std::int64_t>::max() ? stride : stride + 1) + 1, r.step};
}

std::int64_t arange_count(double from, double to, double step) {
    if (step == 0 || std::isnan(from + to + step))
        throw shape_error("arange: from " + std::to_string(from) + " to " + std::to_string(to) + " in steps of " +
                          std::to_string(step) + "; the step must not be 0 and nothing NaN");
    const double count = std::ceil((to - from) / step);
    if (count >= 9e18) throw shape_error("arange: more values than 64 bits can count");
    return count > 0 ? static_cast<std::int64_t>(count) : 0;
}

} // namespace sinter::detail

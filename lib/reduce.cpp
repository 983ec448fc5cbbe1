// lib/reduce.cpp -- stage 4: reductions over whole iteration spaces: blocks, order of combination, threads.
//
// Elements are folded in blocks; the accumulators of blocks are combined pairwise, in groups, and groups pairwise again.
// Blocks and groups have fixed sizes, so that the same shape always gives the same tree, and a float sum of n elements
// an error that grows with log n.

#include <sinter/host/reduce.hpp>

#include <algorithm>
#include <bit>
#include <vector>

#include "walk.hpp"

namespace sinter::detail {
namespace {

constexpr std::int64_t row_block = 16384;   // elements of a row that are folded before accumulators are combined
constexpr std::int64_t column_block = 128;  // rows, the same in columns
constexpr std::int64_t group = 16;          // blocks in one unit of work
constexpr std::int64_t column_tile = 4096;  // columns: their accumulators stay in the second cache, and rows are read in long pieces

/// Memory for accumulators.
class accumulator_memory {
public:
    accumulator_memory(const reduce_kernel& kernel, std::int64_t total)
        : memory_(new char[static_cast<std::size_t>(total * kernel.accumulator_bytes)]), total_(total) {}
    operator accumulators() { return {memory_.get(), total_}; }

private:
    std::unique_ptr<char[]> memory_;
    std::int64_t total_;
};

/// Combines accumulators of blocks as they come: like a binary counter, whose digit k holds 2^k blocks.
class pairwise {
public:
    pairwise(const reduce_kernel& kernel, std::int64_t n) : kernel_(kernel), n_(n) {}

    /// Takes what is in `block`, which is overwritten.
    void add(accumulators block) {
        std::size_t level = 0;
        for (; count_ >> level & 1; ++level) {
            kernel_.combine(levels_[level], block, n_);
            kernel_.copy(block, 0, levels_[level], n_);
        }
        if (level == levels_.size()) levels_.emplace_back(kernel_, block.total);
        kernel_.copy(levels_[level], 0, block, n_);
        ++count_;
    }
    /// All blocks together. There must be one.
    accumulators total() {
        accumulators sum{nullptr, 0};
        for (std::size_t level = 0; level < levels_.size(); ++level) {
            if (!(count_ >> level & 1)) continue;
            if (sum.data) kernel_.combine(levels_[level], sum, n_);
            sum = levels_[level];
        }
        return sum;
    }

private:
    const reduce_kernel& kernel_;
    std::int64_t n_;
    std::uint64_t count_ = 0;
    std::vector<accumulator_memory> levels_;
};

/// The axes of a merged space, kept and reduced ones apart, each with the strides of all inputs.
struct half_space {
    int rank = 0;
    std::int64_t extent[max_rank] = {};
    int axis[max_rank] = {}; // of the merged space

    void add(const iteration_space& space, int k) {
        axis[rank] = k;
        extent[rank++] = space.extent[k];
    }
    std::int64_t size() const { return element_count(std::span(extent, static_cast<std::size_t>(rank)), 1); }
    std::int64_t last() const { return rank > 0 ? extent[rank - 1] : 1; }
    std::span<const std::int64_t> outer() const { return {extent, static_cast<std::size_t>(std::max(rank - 1, 0))}; }
    std::span<const std::int64_t> all() const { return {extent, static_cast<std::size_t>(rank)}; }
};

/// Σ index · stride over the axes of one half.
std::int64_t offset_in(const half_space& half, const odometer& at, const std::int64_t* strides) {
    std::int64_t own[max_rank];
    for (int k = 0; k < half.rank; ++k) own[k] = strides[half.axis[k]];
    return at.offset(own);
}

struct reducing {
    const reduce_kernel& kernel;
    const void* body;
    std::span<const input_layout> inputs;
    half_space kept, reduced;
    void* to;

    double element_cost() const {
        int bytes = 0;
        for (const auto& input : inputs) bytes += input.element_bytes;
        return kernel.cost * 0.02 + bytes * 0.02;
    }
    void finish(accumulators from, std::int64_t n, std::int64_t at) const {
        kernel.finish(from, n, static_cast<char*>(to) + at * kernel.element_bytes);
    }
    /// Combines the groups of all outputs and writes the results.
    void finish_groups(std::vector<accumulator_memory>& groups, std::int64_t outputs) const {
        const std::size_t count = groups.size();
        for (std::size_t step = 1; step < count; step *= 2)
            for (std::size_t g = 0; g + step < count; g += 2 * step) kernel.combine(groups[g], groups[g + step], outputs);
        finish(groups[0], outputs, 0);
    }
};

// ---- rows: the innermost loop runs along a reduced axis

/// Folds the reduced elements [first, last) of one output into `turn`.
void fold_row(const reducing& r, feed& source, const odometer& output, std::int64_t first, std::int64_t last, accumulators turn) {
    const std::int64_t length = r.reduced.last();
    odometer line(r.reduced.outer());
    line.seek(first / length);
    half_space outer = r.reduced;
    outer.rank = std::max(outer.rank - 1, 0);
    for (std::int64_t at = first; at < last; line.next()) {
        const std::int64_t from = at % length, n = std::min(last - at, length - from);
        source.move_to([&](const std::int64_t* strides) {
            return offset_in(r.kept, output, strides) + offset_in(outer, line, strides);
        });
        source.run(from, from + n, std::numeric_limits<std::int64_t>::max(),
                   [&](const inputs& in, std::int64_t i, std::int64_t count, bool) {
                       r.kernel.row(r.body, in, count, turn, at - from + i);
                   });
        at += n;
    }
}

void reduce_rows(const reducing& r) {
    const std::int64_t outputs = r.kept.size(), elements = r.reduced.size();
    const std::int64_t grouped = row_block * group, groups = (elements + grouped - 1) / grouped;
    std::vector<accumulator_memory> partial;
    for (std::int64_t g = 0; groups > 1 && g < groups; ++g) partial.emplace_back(r.kernel, outputs);

    const double cost = r.element_cost() * static_cast<double>(std::min(elements, grouped)) + 50;
    for_parts(outputs * groups, cost, [&](std::int64_t first, std::int64_t last) {
        alignas(64) char memory[turn_bytes * 9]; // a turn of accumulators, each with its position
        const accumulators turn{memory, r.kernel.turn};
        feed source(r.inputs, r.reduced.axis[r.reduced.rank - 1], r.kernel.turn, r.kernel.exact);
        odometer output(r.kept.all());
        for (std::int64_t unit = first; unit < last; ++unit) {
            const std::int64_t g = unit / outputs, at = unit % outputs;
            if (unit == first || at == 0)
                output.seek(at);
            else
                output.next();
            const std::int64_t end = std::min(elements, (g + 1) * grouped);
            const auto block = [&](std::int64_t from) {
                r.kernel.clear(turn, turn.total);
                fold_row(r, source, output, from, std::min(end, from + row_block), turn);
                r.kernel.collapse(turn);
            };
            const auto deliver = [&](accumulators sum) {
                if (groups == 1)
                    r.finish(sum, 1, at);
                else
                    r.kernel.copy(partial[static_cast<std::size_t>(g)], at, sum, 1);
            };
            if (end - g * grouped <= row_block) {
                block(g * grouped);
                deliver(turn);
            } else {
                pairwise sums(r.kernel, 1);
                for (std::int64_t from = g * grouped; from < end; from += row_block) {
                    block(from);
                    sums.add(turn);
                }
                deliver(sums.total());
            }
        }
    });
    if (groups > 1) r.finish_groups(partial, outputs);
}

/// One output from one block of contiguous elements: nothing to schedule, and nothing allocated.
bool reduce_small(const reducing& r) {
    const std::int64_t n = r.reduced.size();
    constexpr std::size_t few = 4;
    if (r.kept.rank > 0 || r.reduced.rank > 1 || n > row_block || r.inputs.size() > few || r.kernel.exact) return false;
    const void* pointers[few];
    std::int64_t steps[few];
    const int axis = r.reduced.axis[0];
    for (std::size_t k = 0; k < r.inputs.size(); ++k) {
        if (r.inputs[k].strides[axis] != 1) return false;
        pointers[k] = r.inputs[k].base;
        steps[k] = 1;
    }
    alignas(64) char memory[turn_bytes * 9], copies[few][turn_bytes];
    const accumulators turn{memory, r.kernel.turn};
    const std::int64_t rest = n & (r.kernel.turn - 1), whole = n - rest;
    r.kernel.clear(turn, turn.total);
    if (whole > 0) r.kernel.row(r.body, {pointers, steps}, whole, turn, 0);
    if (rest > 0) {
        for (std::size_t k = 0; k < r.inputs.size(); ++k) {
            const int bytes = r.inputs[k].element_bytes;
            pointers[k] = displaced(pointers[k], whole * (bytes == 0 ? 1 : bytes));
            if (bytes == 0) continue;
            std::memcpy(copies[k], pointers[k], static_cast<std::size_t>(rest * bytes));
            pointers[k] = copies[k];
        }
        r.kernel.row(r.body, {pointers, steps}, rest, turn, whole);
    }
    r.kernel.collapse(turn);
    r.finish(turn, 1, 0);
    return true;
}

// ---- columns: the innermost loop runs along a kept axis

void reduce_columns(const reducing& r) {
    const std::int64_t columns = r.kept.last(), outputs = r.kept.size(), rows = r.reduced.size();
    const std::int64_t tiles = (columns + column_tile - 1) / column_tile, bands = outputs / columns;
    const std::int64_t grouped = column_block * group, groups = (rows + grouped - 1) / grouped;
    std::vector<accumulator_memory> partial;
    for (std::int64_t g = 0; groups > 1 && g < groups; ++g) partial.emplace_back(r.kernel, outputs);

    half_space outer = r.kept;
    --outer.rank;
    const double cost = r.element_cost() * static_cast<double>(std::min(columns, column_tile) * std::min(rows, grouped));
    for_parts(groups * bands * tiles, cost, [&](std::int64_t first, std::int64_t last) {
        feed source(r.inputs, r.kept.axis[r.kept.rank - 1], r.kernel.turn, r.kernel.exact);
        accumulator_memory memory(r.kernel, column_tile + r.kernel.turn); // the last turn may reach beyond the tile
        const accumulators tile = memory;
        odometer band(r.kept.outer()), row(r.reduced.all());
        for (std::int64_t unit = first; unit < last; ++unit) {
            const std::int64_t g = unit / (bands * tiles), in_group = unit % (bands * tiles);
            const std::int64_t from = in_group % tiles * column_tile, to = std::min(columns, from + column_tile);
            band.seek(in_group / tiles);
            row.seek(g * grouped);
            pairwise sums(r.kernel, to - from);
            const std::int64_t end = std::min(rows, (g + 1) * grouped);
            for (std::int64_t block = g * grouped; block < end; block += column_block) {
                r.kernel.clear(tile, to - from + r.kernel.turn);
                for (std::int64_t k = block; k < std::min(end, block + column_block); ++k, row.next()) {
                    source.move_to([&](const std::int64_t* strides) {
                        return offset_in(outer, band, strides) + offset_in(r.reduced, row, strides);
                    });
                    source.run(from, to, column_tile, [&](const inputs& in, std::int64_t at, std::int64_t n, bool) {
                        r.kernel.column(r.body, in, n, tile, at - from, k);
                    });
                }
                sums.add(tile);
            }
            const std::int64_t at = in_group / tiles * columns + from;
            if (groups == 1)
                r.finish(sums.total(), to - from, at);
            else
                r.kernel.copy(partial[static_cast<std::size_t>(g)], at, sums.total(), to - from);
        }
    });
    if (groups > 1) r.finish_groups(partial, outputs);
}

/// Whether the innermost loop should run along the last reduced axis rather than the last kept one.
bool prefers_rows(const reducing& r) {
    if (r.kept.rank == 0) return true;
    const int row = r.reduced.axis[r.reduced.rank - 1], column = r.kept.axis[r.kept.rank - 1];
    constexpr std::int64_t few = 32; // bench/reduce: below, starting a loop costs more than reading with a stride
    if ((r.reduced.last() < few) != (r.kept.last() < few)) return r.kept.last() < few;
    int by_row = 0, by_column = 0;
    for (const auto& input : r.inputs) {
        by_row += input.strides[row] == 1 || input.strides[row] == 0;
        by_column += input.strides[column] == 1 || input.strides[column] == 0;
    }
    return by_row != by_column ? by_row > by_column : row > column;
}

} // namespace

void throw_empty_reduction(const char* name, extents shape) {
    throw shape_error(std::string(name) + ": shape " + text(shape) + " has no elements along the reduced axes, and " + name +
                      " of nothing has no value");
}

void run_reduction(const reduce_kernel& kernel, const void* body, std::span<input_layout> inputs, extents shape, unsigned reduced,
                   void* to) {
    std::int64_t to_strides[max_rank] = {};
    const std::int64_t outputs = kept_strides(shape, reduced, to_strides);
    if (outputs == 0) return;
    reducing r{kernel, body, inputs, {}, {}, to};
    if (element_count(shape, 1) == 0) {
        accumulator_memory none(kernel, outputs);
        kernel.clear(none, outputs);
        r.finish(none, outputs, 0);
        return;
    }
    const iteration_space space = merge_axes(inputs, shape, to_strides);
    for (int k = 0; k < space.rank; ++k) (to_strides[k] == 0 ? r.reduced : r.kept).add(space, k);
    if (r.reduced.rank == 0) { // all reduced axes have extent 1 and were dropped, so there is room for one
        for (auto& input : inputs) input.strides[space.rank] = 0;
        r.reduced.axis[0] = space.rank;
        r.reduced.extent[0] = r.reduced.rank = 1;
    }
    if (reduce_small(r)) return;
    if (prefers_rows(r))
        reduce_rows(r);
    else
        reduce_columns(r);
}

} // namespace sinter::detail

// jit/launch.cpp -- stage 6: from a body and the layouts of its inputs to a form, a kernel, its arguments, and a launch.

#include <algorithm>
#include <map>
#include <mutex>

#include "../lib/walk.hpp"
#include "loop.hpp"
#include "reduce.hpp"

namespace sinter::detail::jit {
namespace {

/// An array of a kernel as planning sees it.
struct array {
    const void* base; // or the first position
    const std::int64_t* strides;
    int bytes; // of an element; 0: no memory
};

/// The array of an input.
array array_of(const input_layout& l) {
    return {l.base, l.strides, l.element_bytes};
}

/// From so many elements on, indices have 64 bits: below, those of threads behind the last element fit as well.
constexpr std::int64_t wide_from = (std::int64_t{1} << 31) - (1 << 16);

std::int64_t magnitude(std::int64_t v) {
    return v < 0 ? -v : v;
}

bool is_aligned(const array& a, std::int64_t vector) {
    return reinterpret_cast<std::uintptr_t>(a.base) % static_cast<std::uintptr_t>(a.bytes * vector) == 0;
}

/// Whether offsets into an array need 64 bits.
bool is_wide(const array& a, const std::int64_t* extents, int rank) {
    std::int64_t span = 1;
    for (int k = 0; k < rank; ++k) span += (extents[k] - 1) * magnitude(a.strides[k]);
    return span >= wide_from;
}

bool starts_vectors(const array& a, int rank, std::int64_t vector) {
    if (!is_aligned(a, vector)) return false;
    for (int k = 0; k + 1 < rank; ++k)
        if (a.strides[k] % vector != 0) return false;
    return true;
}

void add_steps(kernel_form& form, const array& a, bool vectors) {
    for (int k = 0; k < form.axes(); ++k) {
        const std::int64_t s = a.strides[k];
        const bool is_last = k == form.axes() - 1;
        const step unit = is_last && form.vector > 1 && !vectors ? step::unaligned : step::unit;
        form.steps.push_back(static_cast<std::uint8_t>(s == 0 ? step::none : s == 1 ? unit : step::strided));
    }
}

/// Writes the arguments in the order of for_arguments.
struct passing {
    const emitted_body& body;
    kernel_source& source;
    const void* erased_body;
    std::span<const input_layout> inputs;
    const std::int64_t* out_strides;
    const std::int64_t* extents; // as the kernel takes them
    std::span<const std::int64_t> counts_;
    std::span<const void* const> results_;
    const void* positions; // of partial accumulators
    argument_list& to;

    void results() const {
        for (const void* const r : results_) to.add(r);
    }
    void input(int slot) const {
        to.add(inputs[static_cast<std::size_t>(slot)].base);
        if (positions) to.add(positions);
    }
    void scalars() const {
        if (const int n = static_cast<int>(body.values.scalars().size()); n > 0) source.write_scalars(erased_body, to.reserve(n));
    }
    void counts() const {
        for (const std::int64_t n : counts_) to.add(n);
    }
    void extent(int axis) const { to.add(extents[axis]); }
    void stride(int slot, int, int axis) const { to.add(slot < 0 ? out_strides[axis] : inputs[static_cast<std::size_t>(slot)].strides[axis]); }
};

std::size_t most_arguments(const kernel_form& form, const emitted_body& body) {
    const std::size_t arrays = body.slots.size() + 1;
    return 8 + arrays + body.values.scalars().size() + static_cast<std::size_t>(form.axes()) * (arrays + 1);
}

/// The axis along which some input is contiguous although it strides along the innermost one; -1 where turning gains nothing.
int tile_axis(const emitted_body& body, std::span<const input_layout> inputs, const iteration_space& space, const std::int64_t* out_strides) {
    const int last = space.rank - 1;
    if (last < 1 || out_strides[last] != 1 || space.extent[last] < tile_side) return -1;
    for (const int slot : body.slots) {
        const input_layout& l = inputs[static_cast<std::size_t>(slot)];
        if (l.element_bytes == 0 || magnitude(l.strides[last]) <= 1) continue;
        for (int k = 0; k < last; ++k)
            if (l.strides[k] == 1 && space.extent[k] >= tile_side) return k;
    }
    return -1;
}

} // namespace

/// One elementwise kernel over a space with merged axes.
static void run_loop_on_device(kernel_source& source, emitted_body& body, const void* erased, std::span<input_layout> inputs,
                               iteration_space space, block& target, void* to, std::int64_t* to_strides) {
    const int last = space.rank - 1;
    std::int64_t elements = 1;
    for (int k = 0; k < space.rank; ++k) elements *= space.extent[k];
    const array out{to, to_strides, static_cast<int>(bytes_of(source.result))};
    const auto input = [&](int slot) { return array_of(inputs[static_cast<std::size_t>(slot)]); };

    kernel_form form;
    form.rank = static_cast<std::uint8_t>(space.rank);
    form.tile_axis = static_cast<std::uint8_t>(tile_axis(body, inputs, space, to_strides) + 1);
    form.wide = elements >= wide_from || is_wide(out, space.extent, space.rank);
    int widest = out.bytes;
    for (const int slot : body.slots) {
        const array a = input(slot);
        if (a.bytes == 0) continue;
        form.wide |= is_wide(a, space.extent, space.rank);
        form.aliased |= inputs[static_cast<std::size_t>(slot)].owner == &target;
        if (a.strides[last] == 1) widest = std::max(widest, a.bytes);
    }
    std::int64_t vector = std::min(16 / widest, body.most_vector.load());
    if (form.tile_axis > 0 || to_strides[last] != 1) vector = 1;
    while (vector > 1 && (!starts_vectors(out, space.rank, vector) || space.extent[last] < vector ||
                          (space.rank > 1 && space.extent[last] % vector != 0)))
        vector /= 2;
    form.vector = static_cast<std::uint8_t>(vector);
    form.unroll = static_cast<std::uint8_t>(vector > 8 || form.tile_axis > 0 ? 1 : body.most_unroll.load());
    add_steps(form, out, true);
    for (const int slot : body.slots) {
        const array a = input(slot);
        add_steps(form, a, a.bytes != 0 && starts_vectors(a, space.rank, vector));
    }
    const std::size_t most = most_arguments(form, body);
    form.in_memory = most * sizeof(std::uint64_t) > most_argument_bytes;

    stream_slot& s = current_stream(target.device);
    const loaded_kernel& kernel = body.find(target.device, form, [&] { return loop_source_text(body, source.result, form); });
    if (kernel.resources.spill_bytes > 0 && (form.unroll > 1 || form.vector > 1)) { // narrower, from now on
        if (form.unroll > 1) body.most_unroll = 1;
        else body.most_vector = form.vector / 2;
        return run_loop_on_device(source, body, erased, inputs, space, target, to, to_strides);
    }

    const std::int64_t groups = elements / vector;
    std::int64_t extents[max_rank];
    std::copy(space.extent, space.extent + space.rank, extents);
    extents[last] /= vector;
    const std::int64_t counts[] = {groups, elements - groups * vector};
    const void* const results[] = {to};
    argument_list arguments(most);
    for_arguments(form, body.slots, passing{body, source, erased, inputs, to_strides, extents, counts, results, nullptr, arguments});

    for (const int slot : body.slots)
        if (block* const owner = inputs[static_cast<std::size_t>(slot)].owner) order_read(*owner, s);
    order_write(target, s);
    launch_size size;
    const std::int64_t in_block = std::int64_t{loop_threads} * form.unroll;
    size.blocks = (groups + in_block - 1) / in_block;
    if (form.tile_axis > 0) {
        const int axis = form.tile_axis - 1;
        const auto tiles = [&](int k) { return (space.extent[k] + tile_side - 1) / tile_side; };
        size = {elements / space.extent[last] / space.extent[axis] * tiles(last) * tiles(axis), tile_side, tile_rows};
    }
    launch(kernel, s, size, arguments, form.in_memory);
}

namespace {

/// A reduction over axes of which the kept ones come first, in the extents and in the strides of all inputs.
struct reducing {
    kernel_source& source;
    const reduction_source& reduction;
    emitted_body& body;
    const void* erased;
    std::span<input_layout> inputs;
    int kept, reduced; // axes
    std::int64_t extents[max_rank];
    std::int64_t outputs, length;
    const void* positions = nullptr; // of partial accumulators, when they are what is reduced
    bool of_partial = false;
};

emitted_body& partial_body(const reduction_source& r) {
    static std::mutex mutex;
    static auto* const bodies = new std::map<const reduction_source*, std::unique_ptr<emitted_body>>; // lives as the kernels do
    const std::lock_guard lock(mutex);
    auto& body = (*bodies)[&r];
    if (!body) body = std::make_unique<emitted_body>(r.accumulator);
    return *body;
}

/// Whether neighbouring threads should work on neighbouring outputs.
bool prefers_columns(const reducing& r) {
    constexpr std::int64_t few = 16;
    if (r.kept == 0) return false;
    if (r.length < few) return true;
    const int row = r.kept + r.reduced - 1, column = r.kept - 1;
    int by_row = 0, by_column = 0;
    for (const int slot : r.body.slots) {
        const std::int64_t* const strides = r.inputs[static_cast<std::size_t>(slot)].strides;
        by_row += strides[row] == 1 || strides[row] == 0;
        by_column += strides[column] == 1 || strides[column] == 0;
    }
    return by_column > by_row;
}

void run_reduction_on_device(const reducing& r, block& target) {
    const int axes = r.kept + r.reduced, last = axes - 1;
    kernel_form form;
    form.rank = static_cast<std::uint8_t>(r.kept);
    form.reduced = static_cast<std::uint8_t>(r.reduced);
    form.by_columns = prefers_columns(r);
    form.of_partial = r.of_partial;
    int widest = 1;
    form.wide = r.outputs * std::max<std::int64_t>(r.length, 1) >= wide_from;
    const auto input = [&](int slot) { return array_of(r.inputs[static_cast<std::size_t>(slot)]); };
    for (const int slot : r.body.slots) {
        const array a = input(slot);
        widest = std::max(widest, a.bytes);
        if (a.bytes > 0) form.wide |= is_wide(a, r.extents, axes);
    }
    const std::int64_t chunk = form.by_columns ? column_chunk : row_chunk;
    const std::int64_t chunks = std::max<std::int64_t>((r.length + chunk - 1) / chunk, 1);
    form.partial = chunks > 1;
    const int threads = form.by_columns ? (r.length < 16 ? 1 : 8) : r.length <= 1024 ? 32 : reduce_threads;
    form.threads = static_cast<std::uint8_t>(threads - 1);
    std::int64_t vector = form.by_columns ? 1 : std::min(16 / widest, 4);
    if (r.reduced > 1 && r.extents[last] % vector != 0) vector = 1;
    form.vector = static_cast<std::uint8_t>(vector);
    const std::int64_t none[max_rank] = {};
    add_steps(form, {nullptr, none, 1}, true);
    for (const int slot : r.body.slots) {
        const array a = input(slot);
        add_steps(form, a, a.bytes != 0 && starts_vectors(a, axes, vector));
    }
    const std::size_t most = most_arguments(form, r.body) + 4;
    form.in_memory = most * sizeof(std::uint64_t) > most_argument_bytes;

    stream_slot& s = current_stream(target.device);
    const loaded_kernel& kernel = r.body.find(target.device, form, [&] { return reduce_source_text(r.body, r.reduction, form); });
    buffer values, positions;
    if (form.partial) {
        const auto n = static_cast<std::size_t>(r.outputs * chunks);
        values = buffer(n * static_cast<std::size_t>(bytes_of(r.reduction.accumulator)), target.device);
        if (r.reduction.finds_position) positions = buffer(n * sizeof(std::int64_t), target.device);
    }
    const void* results[2] = {form.partial ? values.data() : target.data, positions.data()};
    const std::int64_t counts[] = {r.outputs, r.length, chunks};
    argument_list arguments(most);
    for_arguments(form, r.body.slots,
                  passing{r.body, r.source, r.erased, r.inputs, none, r.extents, counts,
                          std::span<const void* const>(results, form.partial && r.reduction.finds_position ? 2 : 1), r.positions, arguments});
    for (const int slot : r.body.slots)
        if (block* const owner = r.inputs[static_cast<std::size_t>(slot)].owner) order_read(*owner, s);
    if (!form.partial) order_write(target, s);
    launch_size size;
    if (form.by_columns) {
        const unsigned side_by_side = static_cast<unsigned>(reduce_threads / threads);
        size = {(r.outputs + side_by_side - 1) / side_by_side * chunks, side_by_side, static_cast<unsigned>(threads)};
    } else {
        size.blocks = threads == 32 ? (r.outputs + 7) / 8 : r.outputs * chunks;
    }
    launch(kernel, s, size, arguments, form.in_memory);
    if (!form.partial) return;

    input_layout partial;
    partial.base = values.data();
    partial.owner = values.owner();
    partial.element_bytes = static_cast<std::uint8_t>(bytes_of(r.reduction.accumulator));
    reducing next{r.source, r.reduction, partial_body(r.reduction), nullptr, std::span(&partial, 1), 1, 1, {}, r.outputs, chunks,
                  positions.data(), true};
    next.extents[0] = r.outputs;
    next.extents[1] = chunks;
    partial.strides[0] = form.by_columns ? 1 : chunks;
    partial.strides[1] = form.by_columns ? r.outputs : 1;
    run_reduction_on_device(next, target);
}

} // namespace
} // namespace sinter::detail::jit

namespace sinter::detail {

void reduce_on_device(kernel_source& source, const void* body, std::span<input_layout> inputs, extents shape, unsigned reduced,
                      block& target) {
    std::int64_t to_strides[max_rank] = {};
    const std::int64_t outputs = kept_strides(shape, reduced, to_strides);
    if (outputs == 0) return;
    const std::shared_ptr<jit::emitted_body> known = jit::emitted(source, body);
    jit::reducing r{source, *source.reduction, *known, body, inputs, 0, 0, {}, outputs, 1};
    if (element_count(shape, 1) == 0) { // of nothing: every output is the identity
        for (auto& input : inputs) std::fill_n(input.strides, max_rank, 0);
        r.reduced = 1;
        r.extents[0] = 1;
        r.length = 0;
        return jit::run_reduction_on_device(r, target);
    }
    const iteration_space space = merge_axes(inputs, shape, to_strides);
    int order[max_rank];
    for (const bool is_reduced : {false, true})
        for (int k = 0; k < space.rank; ++k) {
            if ((to_strides[k] == 0) != is_reduced) continue;
            const int at = r.kept + r.reduced++;
            if (!is_reduced) --r.reduced, ++r.kept;
            order[at] = k;
            r.extents[at] = space.extent[k];
            if (is_reduced) r.length *= space.extent[k];
        }
    for (auto& input : inputs) {
        std::int64_t strides[max_rank] = {};
        for (int k = 0; k < r.kept + r.reduced; ++k) strides[k] = input.strides[order[k]];
        std::copy(strides, strides + max_rank, input.strides);
    }
    if (r.reduced == 0) { // all reduced axes have extent 1, and were dropped, so there is room for one
        r.extents[r.kept] = r.reduced = 1;
        for (auto& input : inputs) input.strides[r.kept] = 0;
    }
    jit::run_reduction_on_device(r, target);
}

void run_on_device(kernel_source& source, const void* body, std::span<input_layout> inputs, extents shape, block& target, void* to,
                   const std::int64_t* to_strides) {
    if (element_count(shape, 1) == 0) return;
    const std::shared_ptr<jit::emitted_body> known = jit::emitted(source, body);
    std::int64_t strides[max_rank] = {};
    std::copy(to_strides, to_strides + shape.size(), strides);
    const iteration_space space = merge_axes(inputs, shape, strides);
    jit::run_loop_on_device(source, *known, body, inputs, space, target, to, strides);
}

} // namespace sinter::detail

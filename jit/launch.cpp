// jit/launch.cpp -- stage 6: from a body and the layouts of its inputs to a form, a kernel, its arguments, and a launch.

#include <algorithm>

#include "../lib/walk.hpp"
#include "loop.hpp"
#include "reduce.hpp"

namespace sinter::detail::jit {
namespace {

/// An array of a kernel as planning sees it.
struct array {
    const void* base; // or the first position
    std::int64_t* strides;
    int bytes; // of an element; 0: no memory
};

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
    return span >= (std::int64_t{1} << 31) - (1 << 16);
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
    const auto input = [&](int slot) {
        input_layout& l = inputs[static_cast<std::size_t>(slot)];
        return array{l.base, l.strides, l.element_bytes};
    };

    kernel_form form;
    form.rank = static_cast<std::uint8_t>(space.rank);
    form.tile_axis = static_cast<std::uint8_t>(tile_axis(body, inputs, space, to_strides) + 1);
    form.wide = elements >= (std::int64_t{1} << 31) - (1 << 16) || is_wide(out, space.extent, space.rank);
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

} // namespace sinter::detail::jit

namespace sinter::detail {

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

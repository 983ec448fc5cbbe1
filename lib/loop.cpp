// lib/loop.cpp -- stage 4: elementwise kernels over whole iteration spaces: order, blocks, threads, and where results go.

#include <algorithm>

#include "walk.hpp"

namespace sinter::detail {
namespace {

constexpr std::size_t few_inputs = 8;

/// Writes the results of one run.
struct sink {
    const loop_kernel& kernel;
    const void* body;
    char* to;
    std::int64_t stride; // in elements
    bool stream;

    void operator()(const inputs& in, std::int64_t at, std::int64_t n, bool padded) const {
        const int bytes = kernel.element_bytes;
        char* const place = to + at * stride * bytes;
        if (!padded && stride == 1) {
            kernel.tile(body, in, place, n, stream);
            return;
        }
        alignas(64) char results[packed_run * sizeof(std::int64_t)];
        kernel.tile(body, in, results, padded ? kernel.turn : n, false);
        scatter(bytes, results, stride, n, place);
    }
    std::int64_t longest_run() const { return stride == 1 ? std::numeric_limits<std::int64_t>::max() : packed_run; }
};

/// Rough nanoseconds for an element: arithmetic, and bytes from and to memory.
double element_cost(const loop_kernel& kernel, std::span<const input_layout> inputs) {
    int bytes = kernel.element_bytes;
    for (const auto& input : inputs) bytes += input.element_bytes;
    return kernel.cost * 0.02 + bytes * 0.02;
}

/// Stores past the caches pay once what is read and written does not fit into them, and never when the result replaces
/// an input, whose lines are there already. bench/axpby: time 0.6 of plain stores at 10⁷ elements, 1.8 at 10⁴.
bool should_stream(const loop_kernel& kernel, std::span<const input_layout> inputs, const void* to, std::int64_t n) {
    std::int64_t bytes = n * kernel.element_bytes;
    for (const auto& input : inputs) {
        if (input.base == to) return false;
        bytes += n * input.element_bytes;
    }
    return bytes > 2 * cache_bytes() && reinterpret_cast<std::uintptr_t>(to) % 64 == 0;
}

void fence([[maybe_unused]] bool streamed) {
#if SINTER_X86
    if (streamed) __builtin_ia32_sfence();
#endif
}

void run_line(const loop_kernel& kernel, const void* body, std::span<const input_layout> inputs, int axis, std::int64_t n,
              void* to, std::int64_t to_stride) {
    const double cost = element_cost(kernel, inputs);
    const bool stream = to_stride == 1 && should_stream(kernel, inputs, to, n);
    constexpr std::int64_t block = 1024; // keeps parts multiples of every turn, and of cache lines
    for_parts((n + block - 1) / block, cost * block, [&](std::int64_t first, std::int64_t last) {
        feed source(inputs, axis, kernel.turn, kernel.exact);
        source.move_to([](const std::int64_t*) { return std::int64_t{0}; });
        const sink target{kernel, body, static_cast<char*>(to), to_stride, stream};
        source.run(first * block, std::min(last * block, n), target.longest_run(), target);
        fence(stream);
    });
}

/// Rows of the last axis. Where an input is packed, 16 rows go together, so that the cache lines of a transposed input,
/// of which each row needs one element, are read once.
void run_rows(const loop_kernel& kernel, const void* body, std::span<const input_layout> inputs, const iteration_space& space,
              void* to, const std::int64_t* to_strides) {
    const int inner = space.rank - 1;
    const std::span outer(space.extent, static_cast<std::size_t>(inner));
    const std::int64_t n = space.extent[inner], rows = element_count(outer, 1);
    const bool lines = n * kernel.element_bytes % 64 == 0 && n % kernel.turn == 0;
    const bool stream = to_strides[inner] == 1 && lines && should_stream(kernel, inputs, to, rows * n);

    constexpr std::int64_t together = 16;
    const std::int64_t piece = std::max<std::int64_t>(packed_run, 16384 / together); // of a row, in one unit of work
    const std::int64_t bands = (rows + together - 1) / together, pieces = (n + piece - 1) / piece;
    const double cost = element_cost(kernel, inputs) * static_cast<double>(together * std::min(n, piece));
    for_parts(bands * pieces, cost, [&](std::int64_t first, std::int64_t last) {
        feed source(inputs, inner, kernel.turn, kernel.exact);
        odometer row(outer);
        for (std::int64_t unit = first; unit < last; ++unit) {
            const std::int64_t band = unit / pieces, from = unit % pieces * piece;
            row.seek(band * together);
            for (std::int64_t r = band * together; r < std::min(rows, (band + 1) * together); ++r, row.next()) {
                source.move_to([&](const std::int64_t* strides) { return row.offset(strides); });
                const sink target{kernel, body, static_cast<char*>(to) + row.offset(to_strides) * kernel.element_bytes,
                                  to_strides[inner], stream};
                source.run(from, std::min(n, from + piece), target.longest_run(), target);
            }
        }
        fence(stream);
    });
}

/// Elements of the whole space in order, from position `first` on, to neighbouring places; and back.
void gather_space(int bytes, const void* from, const std::int64_t* strides, const iteration_space& space, std::int64_t first,
                  std::int64_t n, void* to) {
    const int inner = space.rank - 1;
    odometer row(std::span(space.extent, static_cast<std::size_t>(inner)));
    std::int64_t column = first % space.extent[inner];
    row.seek(first / space.extent[inner]);
    for (std::int64_t i = 0; i < n; row.next(), column = 0) {
        const std::int64_t count = std::min(n - i, space.extent[inner] - column);
        gather(bytes, static_cast<const char*>(from) + (row.offset(strides) + column * strides[inner]) * bytes, strides[inner],
               count, static_cast<char*>(to) + i * bytes);
        i += count;
    }
}
void scatter_space(int bytes, const void* from, const std::int64_t* strides, const iteration_space& space, std::int64_t first,
                   std::int64_t n, void* to) {
    const int inner = space.rank - 1;
    odometer row(std::span(space.extent, static_cast<std::size_t>(inner)));
    std::int64_t column = first % space.extent[inner];
    row.seek(first / space.extent[inner]);
    for (std::int64_t i = 0; i < n; row.next(), column = 0) {
        const std::int64_t count = std::min(n - i, space.extent[inner] - column);
        scatter(bytes, static_cast<const char*>(from) + i * bytes, strides[inner], count,
                static_cast<char*>(to) + (row.offset(strides) + column * strides[inner]) * bytes);
        i += count;
    }
}

/// Short rows: all inputs are packed over several rows, so that the kernel runs over many elements at a time.
void run_short_rows(const loop_kernel& kernel, const void* body, std::span<const input_layout> inputs,
                    const iteration_space& space, void* to, const std::int64_t* to_strides) {
    const std::int64_t total = element_count(std::span(space.extent, static_cast<std::size_t>(space.rank)), 1);
    const double cost = element_cost(kernel, inputs) + 1.0 * static_cast<double>(inputs.size());
    for_parts((total + packed_run - 1) / packed_run, cost * packed_run, [&](std::int64_t first, std::int64_t last) {
        constexpr std::size_t bytes = packed_run * sizeof(std::int64_t);
        scratch_memory<4 * bytes> memory((inputs.size() + 1) * bytes);
        short_array<input_layout> packed(inputs.size());
        char* const results = memory.data() + inputs.size() * bytes;
        for (std::int64_t at = first * packed_run; at < std::min(total, last * packed_run); at += packed_run) {
            const std::int64_t n = std::min(packed_run, total - at);
            for (std::size_t k = 0; k < inputs.size(); ++k) {
                packed[k].base = memory.data() + k * bytes;
                packed[k].strides[0] = 1;
                packed[k].element_bytes = inputs[k].element_bytes;
                gather_space(inputs[k].element_bytes, inputs[k].base, inputs[k].strides, space, at, n, memory.data() + k * bytes);
            }
            feed source(std::span<const input_layout>(packed.data(), inputs.size()), 0, kernel.turn, kernel.exact);
            source.move_to([](const std::int64_t*) { return std::int64_t{0}; });
            source.run(0, n, packed_run, sink{kernel, body, results, 1, false});
            scatter_space(kernel.element_bytes, results, to_strides, space, at, n, to);
        }
    });
}

/// The last elements, fewer than a turn, by way of copies.
void run_rest(const loop_kernel& kernel, const void* body, std::span<const input_layout> inputs, const void** pointers,
              const std::int64_t* steps, std::int64_t whole, std::int64_t rest, void* to) {
    alignas(64) char copies[few_inputs + 1][turn_bytes];
    for (std::size_t k = 0; k < inputs.size(); ++k) {
        const int bytes = inputs[k].element_bytes;
        pointers[k] = displaced(inputs[k].base, whole * (bytes == 0 ? 1 : bytes));
        if (bytes == 0) continue;
        std::memcpy(copies[k], pointers[k], static_cast<std::size_t>(rest * bytes));
        pointers[k] = copies[k];
    }
    kernel.tile(body, {pointers, steps}, copies[few_inputs], kernel.turn, false);
    std::memcpy(static_cast<char*>(to) + whole * kernel.element_bytes, copies[few_inputs],
                static_cast<std::size_t>(rest * kernel.element_bytes));
}

/// A small flat loop: nothing to schedule, and nothing allocated.
void run_small(const loop_kernel& kernel, const void* body, std::span<const input_layout> inputs, std::int64_t n, void* to) {
    constexpr std::size_t few = few_inputs;
    const void* pointers[few];
    std::int64_t steps[few];
    for (std::size_t k = 0; k < inputs.size(); ++k) {
        pointers[k] = inputs[k].base;
        steps[k] = 1;
    }
    const std::int64_t rest = n & (kernel.turn - 1), whole = n - rest;
    if (whole > 0) kernel.tile(body, {pointers, steps}, to, whole, false);
    if (rest > 0) run_rest(kernel, body, inputs, pointers, steps, whole, rest, to);
}

} // namespace

void run_flat_loop(const loop_kernel& kernel, const void* body, std::span<const input_layout> inputs, std::int64_t n, void* to) {
    if (inputs.size() <= few_inputs && !kernel.exact && static_cast<double>(n) * element_cost(kernel, inputs) < serial_nanoseconds) {
        run_small(kernel, body, inputs, n, to);
        return;
    }
    // Flat inputs have stride 1 along their last axis, which here stands for all axes.
    short_array<input_layout> flat(inputs.size());
    for (std::size_t k = 0; k < inputs.size(); ++k) {
        flat[k] = inputs[k];
        flat[k].strides[0] = 1;
    }
    run_line(kernel, body, {flat.data(), inputs.size()}, 0, n, to, 1);
}

void run_loop(const loop_kernel& kernel, const void* body, std::span<input_layout> inputs, extents shape, void* to,
              const std::int64_t* to_strides) {
    if (element_count(shape, 1) == 0) return;
    std::int64_t target[max_rank] = {};
    std::copy_n(to_strides, shape.size(), target);
    const iteration_space space = merge_axes(inputs, shape, target);
    const int inner = space.rank - 1;
    const bool generates = std::ranges::any_of(inputs, [](const input_layout& l) { return l.element_bytes == 0; });
    if (space.rank == 1)
        run_line(kernel, body, inputs, 0, space.extent[0], to, target[0]);
    else if (space.extent[inner] < 64 && !generates)
        run_short_rows(kernel, body, inputs, space, to, target);
    else
        run_rows(kernel, body, inputs, space, to, target);
}

} // namespace sinter::detail

// lib/walk.cpp -- stage 4: walking an iteration space. See walk.hpp.

#include "walk.hpp"

#include <unistd.h>

#include <algorithm>

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace sinter::detail {

iteration_space merge_axes(std::span<input_layout> inputs, extents shape, std::int64_t* to_strides) {
    iteration_space space;
    const auto even = [](const std::int64_t* strides, int outer, int inner, std::int64_t extent) {
        return strides[outer] == strides[inner] * extent;
    };
    for (int k = 0; k < static_cast<int>(shape.size()); ++k) {
        if (shape[k] == 1) continue;
        const int last = space.rank - 1;
        bool merges = last >= 0 && even(to_strides, last, k, shape[k]);
        for (std::size_t i = 0; merges && i < inputs.size(); ++i) merges = even(inputs[i].strides, last, k, shape[k]);
        const int into = merges ? last : space.rank++;
        space.extent[into] = merges ? space.extent[into] * shape[k] : shape[k];
        to_strides[into] = to_strides[k];
        for (auto& input : inputs) input.strides[into] = input.strides[k];
    }
    if (space.rank == 0) {
        space.rank = 1;
        space.extent[0] = 1;
        to_strides[0] = 1;
        for (auto& input : inputs) input.strides[0] = 1;
    }
    return space;
}

std::int64_t kept_strides(extents shape, unsigned reduced, std::int64_t* to_strides) {
    std::int64_t outputs = 1;
    for (std::size_t k = shape.size(); k-- > 0;) {
        const bool is_kept = !(reduced >> k & 1);
        to_strides[k] = is_kept ? outputs : 0;
        if (is_kept) outputs *= shape[k];
    }
    return outputs;
}

namespace {

template <class F>
void with_element(int bytes, F&& f) {
    switch (bytes) {
    case 1: return f(std::uint8_t{});
    case 2: return f(std::uint16_t{});
    case 4: return f(std::uint32_t{});
    default: return f(std::uint64_t{});
    }
}

} // namespace

void gather(int bytes, const void* from, std::int64_t stride, std::int64_t n, void* to) {
    with_element(bytes, [&]<class T>(T) {
        auto* const source = static_cast<const T*>(from);
        auto* const target = static_cast<T*>(to);
        for (std::int64_t i = 0; i < n; ++i) target[i] = source[i * stride];
    });
}

void scatter(int bytes, const void* from, std::int64_t stride, std::int64_t n, void* to) {
    with_element(bytes, [&]<class T>(T) {
        auto* const source = static_cast<const T*>(from);
        auto* const target = static_cast<T*>(to);
        for (std::int64_t i = 0; i < n; ++i) target[i * stride] = source[i];
    });
}

bool feed::any_packed(std::span<const input_layout> inputs, int axis) {
    return std::ranges::any_of(inputs, [&](const input_layout& l) {
        return l.element_bytes != 0 && l.strides[axis] != 1 && l.strides[axis] != 0;
    });
}

feed::feed(std::span<const input_layout> inputs, int axis, int turn, bool exact)
    : inputs_(inputs), turn_(turn), exact_(exact), packs_(any_packed(inputs, axis)), sources_(inputs.size()),
      pointers_(inputs.size()), steps_(inputs.size()), scratch_(inputs.size() * scratch_bytes()) {
    for (std::size_t k = 0; k < inputs.size(); ++k) {
        const std::int64_t stride = inputs[k].strides[axis];
        sources_[k].stride = stride;
        sources_[k].read = inputs[k].element_bytes == 0 ? how::generated
                           : stride == 1                ? how::direct
                           : stride == 0                ? how::repeated
                                                        : how::packed;
        steps_[k] = sources_[k].read == how::generated ? stride : sources_[k].read == how::repeated ? 0 : 1;
    }
}

void feed::start(std::size_t k, std::int64_t offset) {
    source& s = sources_[k];
    const int bytes = inputs_[k].element_bytes;
    s.first = displaced(inputs_[k].base, offset * (bytes == 0 ? 1 : bytes));
    if (s.read == how::repeated) {
        gather(bytes, s.first, 0, 64 / bytes, scratch(k));
        pointers_[k] = scratch(k);
    }
}

inputs feed::whole(std::int64_t from, std::int64_t n) {
    for (std::size_t k = 0; k < inputs_.size(); ++k) {
        const source& s = sources_[k];
        const int bytes = inputs_[k].element_bytes;
        if (s.read == how::direct) {
            pointers_[k] = displaced(s.first, from * bytes);
        } else if (s.read == how::generated) {
            pointers_[k] = displaced(s.first, from * s.stride);
        } else if (s.read == how::packed) {
            gather(bytes, displaced(s.first, from * s.stride * bytes), s.stride, n, scratch(k));
            pointers_[k] = scratch(k);
        }
    }
    return {pointers_.data(), steps_.data()};
}

inputs feed::rest(std::int64_t from, std::int64_t n, bool repeat) {
    for (std::size_t k = 0; k < inputs_.size(); ++k) {
        const source& s = sources_[k];
        const int bytes = inputs_[k].element_bytes;
        if (s.read == how::generated) {
            pointers_[k] = displaced(s.first, from * s.stride);
            steps_[k] = repeat ? 0 : s.stride;
        } else if (s.read != how::repeated) {
            const auto copies = repeat ? std::min<std::int64_t>(turn_, static_cast<std::int64_t>(turn_bytes) / bytes) : n;
            gather(bytes, displaced(s.first, from * s.stride * bytes), repeat ? 0 : s.stride, copies, scratch(k));
            pointers_[k] = scratch(k);
        }
    }
    return {pointers_.data(), steps_.data()};
}

namespace {

/// Whether nobody could take a share: then TBB would only cost time, and would yield the processor while it waits.
bool only_thread() {
    return tbb::this_task_arena::max_concurrency() == 1 ||
           tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism) == 1;
}

} // namespace

void for_parts(std::int64_t n, double nanoseconds, void (*run)(const void*, std::int64_t, std::int64_t), const void* body) {
    constexpr double part = serial_nanoseconds / 2;
    if (n <= 1 || static_cast<double>(n) * nanoseconds < serial_nanoseconds || only_thread()) {
        if (n > 0) run(body, 0, n);
        return;
    }
    const auto grain = std::max<std::int64_t>(1, static_cast<std::int64_t>(part / nanoseconds));
    tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, n, grain),
                      [=](const auto& part) { run(body, part.begin(), part.end()); });
}

std::int64_t cache_bytes() {
    static const std::int64_t bytes = [] {
        const long reported = sysconf(_SC_LEVEL2_CACHE_SIZE);
        return reported > 0 ? reported : 1L << 20;
    }();
    return bytes;
}

} // namespace sinter::detail

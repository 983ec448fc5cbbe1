// lib/random.cpp -- the random order of positions, and messages about impossible distributions.

#include <sinter/expr/random.hpp>

#include <utility>

namespace sinter::detail {

void throw_no_integers(std::int64_t low, std::int64_t high) {
    throw shape_error("random::integers: from " + std::to_string(low) + " to below " + std::to_string(high) +
                      " there is no integer; low must be less than high");
}

void throw_no_probability(double p) {
    throw shape_error("random::bernoulli: p is " + std::to_string(p) + "; a probability is from 0 to 1");
}

void shuffle_positions(random::key key, std::int64_t* values, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) values[i] = i;
    for (std::int64_t i = n - 1; i > 0; --i) {
        const auto x = philox(static_cast<std::uint64_t>(i), key.seed, key.stream);
        const std::uint64_t word = (x.w0 << 32) + x.w1;
        const auto other = static_cast<std::int64_t>(static_cast<unsigned __int128>(word) * static_cast<std::uint64_t>(i + 1) >> 64);
        std::swap(values[i], values[other]);
    }
}

} // namespace sinter::detail

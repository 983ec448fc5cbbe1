// tests/fuzz/expressions.cpp -- expressions drawn at compile time, of operands drawn at run time, against a plain evaluation.
//
// The seed of the operands is SINTER_SEED, or fixed; it is shown with a failure. Integers wrap, so that results are exact.

#include "support/tensors.hpp"

namespace {

using T = std::int32_t;
using operand = layout_case<T>;

constexpr std::uint32_t mix(std::uint32_t x) {
    x ^= x >> 16;
    x *= 0x7feb352d;
    x ^= x >> 15;
    x *= 0x846ca68b;
    return x ^ x >> 16;
}

constexpr T wrapped(std::int64_t v) {
    return static_cast<T>(static_cast<std::uint32_t>(v));
}

/// A tree of the given depth: as an expression, and as a function of the element's position.
template <std::uint32_t Seed, int Depth>
struct tree {
    static constexpr std::uint32_t h = mix(Seed);
    using left = tree<mix(h + 1), Depth - 1>;
    using right = tree<mix(h + 2), Depth - 1>;
    using condition = tree<mix(h + 3), Depth - 1>;
    static constexpr int kind = static_cast<int>(h % 12);

    static auto expression(const std::vector<operand>& x) {
        const auto a = left::expression(x);
        if constexpr (kind == 0) return a + right::expression(x);
        else if constexpr (kind == 1) return a - right::expression(x);
        else if constexpr (kind == 2) return a * right::expression(x);
        else if constexpr (kind == 3) return sn::minimum(a, right::expression(x));
        else if constexpr (kind == 4) return sn::maximum(a, right::expression(x));
        else if constexpr (kind == 5) return sn::where(a < right::expression(x), a, 7);
        else if constexpr (kind == 6) return -a;
        else if constexpr (kind == 7) return a ^ right::expression(x);
        else if constexpr (kind == 8) return a * 3 + static_cast<T>(h % 100);
        else if constexpr (kind == 9) return sn::cast<T>(sn::cast<std::int8_t>(a));
        else if constexpr (kind == 10) return a / right::expression(x);
        else return sn::where((a > 0) == (right::expression(x) > 0), condition::expression(x), a);
    }
    static T value(const std::vector<operand>& x, std::size_t i) {
        const std::int64_t a = left::value(x, i);
        if constexpr (kind == 6) return wrapped(-a);
        if constexpr (kind == 8) return wrapped(std::int64_t{wrapped(a * 3)} + h % 100);
        if constexpr (kind == 9) return static_cast<std::int8_t>(a);
        const std::int64_t b = right::value(x, i);
        switch (kind) {
        case 0: return wrapped(a + b);
        case 1: return wrapped(a - b);
        case 2: return wrapped(a * b);
        case 3: return wrapped(std::min(a, b));
        case 4: return wrapped(std::max(a, b));
        case 5: return wrapped(a < b ? a : 7);
        case 7: return wrapped(a ^ b);
        case 10: return wrapped(b == 0 ? 0 : a / b);
        default: return (a > 0) == (b > 0) ? condition::value(x, i) : wrapped(a);
        }
    }
};
template <std::uint32_t Seed>
struct tree<Seed, 0> {
    static constexpr std::size_t leaf = mix(Seed) % 4;
    static auto expression(const std::vector<operand>& x) { return x[leaf].e; }
    static T value(const std::vector<operand>& x, std::size_t i) { return x[leaf].values[i]; }
};

std::uint64_t seed() {
    const char* const given = std::getenv("SINTER_SEED");
    return given ? std::strtoull(given, nullptr, 10) : 20240101;
}

template <std::uint32_t Seed>
void check_tree(std::mt19937_64& random) {
    using drawn = tree<Seed, 2 + Seed % 3>;
    for (int round = 0; round < 12; ++round) {
        const std::int64_t rows = static_cast<std::int64_t>(random() % 40), columns = static_cast<std::int64_t>(random() % (round < 6 ? 20 : 300));
        const auto all_layouts = layouts<T>(rows, columns, [&](std::int64_t) { return random_value<T>(random); });
        std::vector<operand> x;
        for (int k = 0; k < 4; ++k) x.push_back(all_layouts[random() % all_layouts.size()]);
        std::vector<T> wanted(static_cast<std::size_t>(rows * columns));
        for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = drawn::value(x, i);
        const std::string name = "tree " + std::to_string(Seed) + ", seed " + std::to_string(seed()) + ", round " + std::to_string(round);
        const auto e = drawn::expression(x);
        check_values(e, wanted, name);

        std::vector<std::int64_t> sums(static_cast<std::size_t>(columns)), rows_sums(static_cast<std::size_t>(rows));
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            sums[i % static_cast<std::size_t>(columns)] += wanted[i];
            rows_sums[i / static_cast<std::size_t>(columns)] += wanted[i];
        }
        check_values(sn::sum(e, axis<0>), sums, name + " summed over axis 0");
        check_values(sn::sum(e, axis<1>), rows_sums, name + " summed over axis 1");
    }
}

template <std::uint32_t... Seeds>
void check_trees(std::integer_sequence<std::uint32_t, Seeds...>) {
    std::mt19937_64 random(seed());
    (check_tree<Seeds>(random), ...);
}

} // namespace

TEST_CASE("random expressions of random operands agree with a plain evaluation") {
    check_trees(std::make_integer_sequence<std::uint32_t, 24>{});
}

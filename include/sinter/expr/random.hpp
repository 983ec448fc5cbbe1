// sinter/expr/random.hpp -- stage 1: random numbers as expressions: each element is a function of the key and its position.
//
// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC 2011), a counter-based
// generator: element i of a stream is the block of counter i, so that any element can be computed alone, on any device.
#pragma once

#include <sinter/expr/create.hpp>

namespace sinter {

namespace random {

/// Where random numbers come from: the same key gives the same numbers. Streams of one seed are independent.
struct key {
    std::uint64_t seed;
    std::uint64_t stream;
    explicit constexpr key(std::uint64_t s, std::uint64_t t = 0) : seed(s), stream(t) {}
    friend bool operator==(const key&, const key&) = default;
};

} // namespace random

namespace detail {

/// The four words of a Philox block, each in 64 bits.
template <class U>
struct philox_block {
    U w0, w1, w2, w3;
};

/// U: packets of uint64, or uint64 itself, as is K.
template <class U, class K>
[[gnu::always_inline]] inline philox_block<U> philox(U position, K seed, K stream) {
    const std::uint64_t low = 0xffffffff;
    philox_block<U> x{position & low, position >> 32, (position & std::uint64_t{0}) + (stream & low),
                      (position & std::uint64_t{0}) + (stream >> 32)};
    K k0 = seed & low, k1 = seed >> 32;
    for (int round = 0; round < 10; ++round) {
        const U p = x.w0 * std::uint64_t{0xd2511f53}, q = x.w2 * std::uint64_t{0xcd9e8d57};
        x = {(q >> 32) ^ x.w1 ^ k0, q & low, (p >> 32) ^ x.w3 ^ k1, p & low};
        k0 = (k0 + std::uint64_t{0x9e3779b9}) & low;
        k1 = (k1 + std::uint64_t{0xbb67ae85}) & low;
    }
    return x;
}

/// 0 ≤ u < 1, as many bits as T has: w · 2⁻²⁴ or w · 2⁻⁵³.
template <class T, class U>
[[gnu::always_inline]] inline auto unit_interval(U high, U low) {
    if constexpr (sizeof(T) == 4)
        return convert<float>(convert<std::int32_t>(high >> 8)) * 0x1p-24f;
    else
        return convert<double>(convert<std::int64_t>((high >> 5) * (std::uint64_t{1} << 26) + (low >> 6))) * 0x1p-53;
}

template <class T>
struct uniform_generator {
    using value_type = T;
    static constexpr int cost = 60;
    random::key key;

    auto parameters() const { return std::tuple(key.seed, key.stream); }
    template <class P, class K>
    [[gnu::always_inline]] static auto value(P position, K seed, K stream) {
        const auto x = philox(convert<std::uint64_t>(position), seed, stream);
        return unit_interval<T>(x.w0, x.w1);
    }
    friend bool operator==(const uniform_generator&, const uniform_generator&) = default;
};

/// Box and Muller (1958): the length from one uniform number, the angle from another.
template <class T>
struct normal_generator {
    using value_type = T;
    static constexpr int cost = 120;
    random::key key;

    auto parameters() const { return std::tuple(key.seed, key.stream); }
    template <class P, class K>
    [[gnu::always_inline]] static auto value(P position, K seed, K stream) {
        const auto x = philox(convert<std::uint64_t>(position), seed, stream);
        const auto u = T(1) - unit_interval<T>(x.w0, x.w1); // 0 < u ≤ 1
        const auto angle = unit_interval<T>(x.w2, x.w3) * T(6.283185307179586476925);
        return sqrt(log(u) * T(-2)) * cos(angle);
    }
    friend bool operator==(const normal_generator&, const normal_generator&) = default;
};

/// low + ⌊w · count / 2⁶⁴⌋: of each value the chance is right to count · 2⁻⁶⁴.
template <class T>
struct integer_generator {
    using value_type = T;
    static constexpr int cost = 70;
    random::key key;
    T low;
    std::uint64_t count; // at least 1

    auto parameters() const { return std::tuple(key.seed, key.stream, low, count); }
    template <class P, class K, class L>
    [[gnu::always_inline]] static auto value(P position, K seed, K stream, L low, K count) {
        const auto x = philox(convert<std::uint64_t>(position), seed, stream);
        // The upper 64 bits of (w0·2³² + w1) · (c1·2³² + c0), word by word.
        const K c0 = count & std::uint64_t{0xffffffff}, c1 = count >> 32;
        const auto low_words = x.w1 * c0 >> 32;
        const auto middle = x.w0 * c0 + low_words;
        const auto other = x.w1 * c1 + (middle & std::uint64_t{0xffffffff});
        return convert<T>(x.w0 * c1 + (middle >> 32) + (other >> 32)) + low;
    }
    friend bool operator==(const integer_generator&, const integer_generator&) = default;
};

[[noreturn]] void throw_no_integers(std::int64_t low, std::int64_t high);
[[noreturn]] void throw_no_probability(double p);

/// Position i goes to values[i]: a random order of 0, 1, …, n - 1 (Fisher and Yates, with the same numbers on every machine).
void shuffle_positions(random::key key, std::int64_t* values, std::int64_t n);

} // namespace detail

namespace random {

/// Uniform in [0, 1): never 1. uniform<float>(key(1), n, m).
template <element T, class... I>
    requires detail::index_pack<I...>
auto uniform(key k, I... extents) {
    return uniform<T>(k, detail::shape_from(extents...));
}
template <element T, std::size_t N>
auto uniform(key k, const std::array<std::int64_t, N>& shape) {
    static_assert(std::is_floating_point_v<T>, "sinter: random::uniform gives float or double; see random::integers");
    return detail::generate(detail::uniform_generator<T>{k}, shape);
}

/// Normal with mean 0 and standard deviation 1.
template <element T, class... I>
    requires detail::index_pack<I...>
auto normal(key k, I... extents) {
    return normal<T>(k, detail::shape_from(extents...));
}
template <element T, std::size_t N>
auto normal(key k, const std::array<std::int64_t, N>& shape) {
    static_assert(std::is_floating_point_v<T>, "sinter: random::normal gives float or double");
    return detail::generate(detail::normal_generator<T>{k}, shape);
}

/// low, …, high - 1, each as likely as the others. Throws shape_error when there is none.
template <element T, class... I>
    requires detail::index_pack<I...>
auto integers(key k, std::type_identity_t<T> low, std::type_identity_t<T> high, I... extents) {
    return integers<T>(k, low, high, detail::shape_from(extents...));
}
template <element T, std::size_t N>
auto integers(key k, std::type_identity_t<T> low, std::type_identity_t<T> high, const std::array<std::int64_t, N>& shape) {
    static_assert(detail::kind_of<T>() == detail::kind::integer, "sinter: random::integers gives integers; see random::uniform");
    if (low >= high) detail::throw_no_integers(static_cast<std::int64_t>(low), static_cast<std::int64_t>(high));
    const auto count = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
    return detail::generate(detail::integer_generator<T>{k, low, count}, shape);
}

/// true with probability p. Throws shape_error unless 0 ≤ p ≤ 1.
template <class... I>
    requires detail::index_pack<I...>
auto bernoulli(key k, double p, I... extents) {
    return bernoulli(k, p, detail::shape_from(extents...));
}
template <std::size_t N>
auto bernoulli(key k, double p, const std::array<std::int64_t, N>& shape) {
    if (!(p >= 0 && p <= 1)) detail::throw_no_probability(p);
    return uniform<double>(k, shape) < p;
}

/// 0, 1, …, n - 1 in random order: evaluated at once. Throws shape_error when n is negative.
inline tensor<std::int64_t, 1> permutation(key k, std::int64_t n) {
    tensor<std::int64_t, 1> r(sinter::shape<1>{n});
    detail::shuffle_positions(k, r.mutable_data(), n);
    return r;
}

} // namespace random
} // namespace sinter

// tests/host/loop.cpp -- how iteration spaces are walked: axes merged, short rows, tails, blocks, targets with strides.

#include "support/tensors.hpp"

#include "../lib/walk.hpp"

namespace detail = sn::detail;

namespace {

detail::input_layout layout(std::vector<std::int64_t> strides) {
    detail::input_layout l;
    l.element_bytes = 4;
    std::copy(strides.begin(), strides.end(), l.strides);
    return l;
}

} // namespace

TEST_CASE("neighbouring axes merge where everything steps through both evenly") {
    detail::input_layout inputs[] = {layout({12, 4, 1}), layout({12, 4, 1})};
    std::int64_t to[] = {12, 4, 1};
    const auto space = detail::merge_axes(inputs, std::vector<std::int64_t>{2, 3, 4}, to);
    CHECK(space.rank == 1);
    CHECK(space.extent[0] == 24);
    CHECK(inputs[0].strides[0] == 1);
}

TEST_CASE("axes do not merge across a broadcast, a transpose or a gap; axes of extent 1 are dropped") {
    detail::input_layout inputs[] = {layout({0, 4, 1, 7}), layout({100, 4, 1, 9})};
    std::int64_t to[] = {12, 4, 1, 1};
    const auto space = detail::merge_axes(inputs, std::vector<std::int64_t>{2, 3, 4, 1}, to);
    CHECK(space.rank == 2);
    CHECK(space.extent[0] == 2);
    CHECK(space.extent[1] == 12);
    CHECK(inputs[0].strides[0] == 0);
    CHECK(inputs[1].strides[0] == 100);
    CHECK(inputs[1].strides[1] == 1);
}

TEST_CASE("a rank-0 space is one element") {
    detail::input_layout inputs[] = {layout({})};
    std::int64_t to[sn::max_rank] = {};
    const auto space = detail::merge_axes(inputs, {}, to);
    CHECK(space.rank == 1);
    CHECK(space.extent[0] == 1);
}

TEST_CASE("gather and scatter of every element size and stride") {
    const auto check = [](auto zero) {
        using T = decltype(zero);
        std::vector<T> memory(100), packed(10), back(100);
        for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<T>(i + 1);
        for (const std::int64_t stride : {1, 3, -2, 0}) {
            const T* const first = memory.data() + 50;
            detail::gather(sizeof(T), first, stride, 10, packed.data());
            for (std::int64_t i = 0; i < 10; ++i) CHECK(packed[static_cast<std::size_t>(i)] == first[i * stride]);
            if (stride == 0) continue;
            detail::scatter(sizeof(T), packed.data(), stride, 10, back.data() + 50);
            for (std::int64_t i = 0; i < 10; ++i) CHECK(back[static_cast<std::size_t>(50 + i * stride)] == first[i * stride]);
        }
    };
    check(std::uint8_t{});
    check(std::uint16_t{});
    check(float{});
    check(double{});
}

TEST_CASE("an odometer counts positions in row-major order") {
    const std::int64_t extents[] = {2, 3, 4}, strides[] = {100, 10, 1};
    detail::odometer at(extents);
    at.seek(7);
    CHECK(at.offset(strides) == 13);
    at.next();
    CHECK(at.offset(strides) == 20);
    at.seek(23);
    CHECK(at.offset(strides) == 123);
    at.next();
    CHECK(at.offset(strides) == 0);
}

TEST_CASE("every split of an index space into rows, columns and targets gives the same values") {
    for (const auto& [rows, columns] : {std::pair{2, 5}, {7, 63}, {7, 64}, {100, 65}, {3, 5000}, {2000, 3}, {5000, 70}}) {
        const auto cases = layouts<float>(rows, columns, [](std::int64_t i) { return float(i % 1000); });
        for (const auto& a : cases) {
            for (const auto& b : cases) {
                if (&a != &b && rows * columns > 10000 && a.name != "transposed") continue;
                std::vector<float> wanted(a.values.size());
                for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = a.values[i] * 2 + b.values[i];
                const std::string name = a.name + ", " + b.name + " " + std::to_string(rows) + " x " + std::to_string(columns);
                check_values(a.e * 2 + b.e, wanted, name);
                sn::tensor<float, 2> target = sn::zeros<float>(2 * rows, 2 * columns + 1);
                target.at(range(1, open, 2), range(0, 2 * columns, 2)) = a.e * 2 + b.e;
                check_values(target(range(1, open, 2), range(0, 2 * columns, 2)), wanted, name + " into a strided slice");
                CHECK(sn::eval(sn::sum(sn::abs(target(range(0, open, 2), all))))() == 0);
                target = sn::zeros<float>(columns, rows);
                target.at(all, all) = sn::transpose(a.e * 2 + b.e);
                check_values(sn::transpose(target), wanted, name + " transposed into a slice");
            }
        }
    }
}

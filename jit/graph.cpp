// jit/graph.cpp -- stage 3: building graphs: equal nodes become one, operations that are formulas become simpler ones.

#include <sinter/fuse/graph.hpp>

#include <sinter/core/error.hpp>

#include "formulas.hpp"
#include "source.hpp"

namespace sinter::detail {
namespace {

thread_local graph* building_now = nullptr;

constexpr std::array<std::int32_t, 3> no_operands{-1, -1, -1};

/// f with the type that `type` stands for.
template <class F>
auto with_type(dtype type, F&& f) {
    switch (type) {
    case dtype::boolean: return f(bool{});
    case dtype::int8: return f(std::int8_t{});
    case dtype::int16: return f(std::int16_t{});
    case dtype::int32: return f(std::int32_t{});
    case dtype::int64: return f(std::int64_t{});
    case dtype::uint8: return f(std::uint8_t{});
    case dtype::uint16: return f(std::uint16_t{});
    case dtype::uint32: return f(std::uint32_t{});
    case dtype::uint64: return f(std::uint64_t{});
    case dtype::float32: return f(float{});
    default: return f(double{});
    }
}

/// The node that the row's own formula gives.
int expand(graph_op op, dtype type, std::span<const int> args) {
    const auto arg = [&](std::size_t k) { return k < args.size() ? args[k] : args[0]; };
    return with_type(type, [&]<class T>(T) {
        const formula_value<T> a{{arg(0)}}, b{{arg(1)}}, c{{arg(2)}};
        switch (op) {
#define SINTER_CALL_1(op) op##_op::value(a).id
#define SINTER_CALL_2(op) op##_op::value(a, b).id
#define SINTER_CALL_3(op) op##_op::value(a, b, c).id
#define SINTER_OP(op, count, ...)                                                                                      \
    case graph_op::op##_: return SINTER_CALL_##count(op);
#include <sinter/expr/ops.def>
#undef SINTER_CALL_1
#undef SINTER_CALL_2
#undef SINTER_CALL_3
        default: return -1;
        }
    });
}

constexpr dtype result_type(graph_op op, dtype compute) {
    switch (op) {
#define SINTER_OP(op, args, takes, given, ...)                                                                         \
    case graph_op::op##_: return gives::given == gives::boolean ? dtype::boolean : compute;
#include <sinter/expr/ops.def>
    default: return compute;
    }
}

/// The bits of a value converted by the rules that packets follow.
template <class To, class From>
std::uint64_t converted_bits(From value) {
    using one = width<isa::v1, 1>;
    To to[1];
    const auto v = convert<To>(packet_of<From, one>::splat(value));
    if constexpr (std::is_same_v<To, bool>)
        store(resize<1>(v), to);
    else
        store(v, to);
    std::uint64_t bits = 0;
    std::memcpy(&bits, to, sizeof(To));
    return bits;
}

bool is_floating(dtype type) {
    return type == dtype::float32 || type == dtype::float64;
}
bool is_unsigned(dtype type) {
    return type >= dtype::uint8 && type <= dtype::uint64;
}

} // namespace

graph& graph::current() {
    return *building_now;
}
graph::building::building(graph& g) : before_(std::exchange(building_now, &g)) {}
graph::building::~building() {
    building_now = before_;
}

int graph::add(const graph_node& n) {
    const auto [at, is_new] = index_.try_emplace(n, static_cast<int>(nodes_.size()));
    if (is_new) nodes_.push_back(n);
    return at->second;
}

int graph::load(dtype type, int slot) {
    const int same = same_as_.empty() ? slot : same_as_[static_cast<std::size_t>(slot)];
    return add({graph_op::load, type, no_operands, static_cast<std::uint64_t>(same)});
}
int graph::position(int slot) {
    const int same = same_as_.empty() ? slot : same_as_[static_cast<std::size_t>(slot)];
    return add({graph_op::position, dtype::int64, no_operands, static_cast<std::uint64_t>(same)});
}
int graph::scalar(dtype type) {
    scalars_.push_back(type);
    return add({graph_op::scalar, type, no_operands, scalars_.size() - 1});
}
int graph::literal(dtype type, std::uint64_t bits) {
    return add({graph_op::literal, type, no_operands, bits});
}
int graph::argument(dtype type, int number) {
    return add({graph_op::argument, type, no_operands, static_cast<std::uint64_t>(number)});
}

int graph::node(graph_op op, dtype type, std::span<const int> args) {
    graph_node n{op, type};
    std::copy(args.begin(), args.end(), n.args.begin());
    return add(n);
}

int graph::apply(graph_op op, dtype compute, std::span<const int> args) {
    using enum graph_op;
    const building here(*this);
    switch (op) {
    case logical_and_: return apply(bitwise_and_, compute, args);
    case logical_or_: return apply(bitwise_or_, compute, args);
    case logical_xor_: return apply(bitwise_xor_, compute, args);
    case logical_not_: return apply(invert_, compute, args);
    case positive_: return args[0];
    default: break;
    }
    if (!is_floating(compute)) { // integers and bools are integral, finite, and not NaN already
        switch (op) {
        case floor_: case ceil_: case trunc_: case round_: case rint_: return args[0];
        case isinf_: return this->literal(dtype::boolean, 0);
        case isnan_: return this->literal(dtype::boolean, 0);
        case isfinite_: return this->literal(dtype::boolean, 1);
        case signbit_:
            if (is_unsigned(compute)) return this->literal(dtype::boolean, 0);
            return apply(less_, compute, std::array{args[0], this->literal(compute, 0)});
        case abs_:
            if (is_unsigned(compute)) return args[0];
            break;
        case fma_: return apply(add_, compute, std::array{apply(multiply_, compute, args.first(2)), args[2]});
        case minimum_: return this->select(apply(less_, compute, args), args[0], args[1]);
        case maximum_: return this->select(apply(less_, compute, args), args[1], args[0]);
        default: break;
        }
    }
    if (jit::is_formula(op)) return expand(op, compute, args);
    return node(op, result_type(op, compute), args);
}

int graph::convert(int value, dtype to) {
    const graph_node& n = (*this)[value];
    if (n.type == to) return value;
    if (n.op == graph_op::literal) {
        const std::uint64_t bits = with_type(n.type, [&]<class From>(From from) {
            std::memcpy(&from, &n.number, sizeof(From));
            return with_type(to, [&]<class To>(To) { return converted_bits<To>(from); });
        });
        return literal(to, bits);
    }
    const int args[] = {value};
    return node(graph_op::convert, to, args);
}

int graph::select(int condition, int a, int b) {
    if (a == b) return a;
    if (const graph_node& c = (*this)[condition]; c.op == graph_op::literal) return c.number ? a : b;
    const int args[] = {condition, a, b};
    return node(graph_op::select, (*this)[a].type, args);
}

std::vector<int> graph::slots() const {
    std::vector<int> r;
    for (const graph_node& n : nodes_)
        if (n.op == graph_op::load || n.op == graph_op::position) r.push_back(static_cast<int>(n.number));
    std::sort(r.begin(), r.end());
    r.erase(std::unique(r.begin(), r.end()), r.end());
    return r;
}

const char* name(graph_op op) {
    static constexpr const char* names[] = {
#define SINTER_OP(op, ...) #op,
#include <sinter/expr/ops.def>
        "load", "position", "scalar", "literal", "argument", "convert", "select"};
    return names[static_cast<int>(op)];
}

std::string text(const graph& g) {
    std::string r;
    for (std::size_t k = 0; k < g.nodes().size(); ++k) {
        const graph_node& n = g.nodes()[k];
        r += "%" + std::to_string(k) + " = " + name(n.op) + " " + name(n.type);
        for (const int a : n.args)
            if (a >= 0) r += " %" + std::to_string(a);
        if (n.op >= graph_op::load && n.op <= graph_op::argument) r += " " + std::to_string(n.number);
        r += '\n';
    }
    return r + "result %" + std::to_string(g.result) + "\n";
}

void throw_map_of_values() {
    throw device_error("map: this function takes single values, and runs on the CPU alone; write it for any type, as in "
                       "map([](auto v) { return exp(v) * v; }, x), or move the operands: x.to(sinter::cpu)");
}

} // namespace sinter::detail

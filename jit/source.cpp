// jit/source.cpp -- stage 4: the nodes of a graph as lines of CUDA C++.

#include "source.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace sinter::detail::jit {
namespace {

using enum graph_op;

constexpr const char* as_value = nullptr;

/// The `device` column of the table.
const char* device_name(graph_op op) {
    switch (op) {
#define SINTER_OP(op, args, takes, gives, ulp, device, ...)                                                            \
    case op##_: return device;
#include <sinter/expr/ops.def>
    default: return nullptr;
    }
}

bool is_floating(dtype type) {
    return type == dtype::float32 || type == dtype::float64;
}
/// The unsigned type in which arithmetic of an integer type wraps without being undefined.
const char* wrapping_type(dtype type) {
    return bytes_of(type) == 8 ? "unsigned long long" : "unsigned";
}

std::string cast(dtype type, const std::string& value) {
    return std::string("(") + type_name(type) + ")" + value;
}

/// Names and text of the nodes of one graph.
class printer {
public:
    explicit printer(const graph& g) : graph_(g) {}

    std::string name(int k) const {
        const graph_node& n = graph_[k];
        switch (n.op) {
        case load: return input_name(static_cast<int>(n.number));
        case position: return "i" + std::to_string(n.number);
        case scalar: return scalar_name(static_cast<int>(n.number));
        case argument: return n.number == 0 ? "a" : "b";
        case graph_op::literal: return jit::literal(n.type, n.number);
        default: return std::string(detail::name(n.op)) + "_" + std::to_string(k);
        }
    }

    /// The right side of a node's line.
    std::string value(int k) const {
        const graph_node& n = graph_[k];
        const auto arg = [&](int i) { return name(n.args[static_cast<std::size_t>(i)]); };
        if (n.op == graph_op::convert) return converted(n, arg(0));
        if (n.op == graph_op::select) return arg(0) + " ? " + arg(1) + " : " + arg(2);
        const dtype compute = graph_[n.args[0]].type;
        if (!is_floating(compute)) return of_integers(n, compute, arg(0), n.args[1] >= 0 ? arg(1) : "");
        if (n.op == negative_) return "-" + arg(0);
        if (const char* const symbol = operator_symbol(n.op)) return arg(0) + " " + symbol + " " + arg(1);
        std::string call = std::string(n.op == abs_ ? "fabs" : device_name(n.op)) + "(" + arg(0);
        for (int i = 1; i < 3 && n.args[static_cast<std::size_t>(i)] >= 0; ++i) call += ", " + arg(i);
        return call + ")";
    }

private:
    std::string converted(const graph_node& n, const std::string& value) const {
        const dtype from = graph_[n.args[0]].type;
        if (n.type == dtype::boolean) return value + " != 0";
        if (is_floating(from) && !is_floating(n.type)) return std::string("saturated<") + type_name(n.type) + ">(" + value + ")";
        return cast(n.type, value);
    }

    static std::string of_integers(const graph_node& n, dtype type, const std::string& a, const std::string& b) {
        const std::string wide = std::string("(") + wrapping_type(type) + ")";
        switch (n.op) {
        case add_: case subtract_: case multiply_:
            return cast(type, "(" + wide + a + " " + operator_symbol(n.op) + " " + wide + b + ")");
        case negative_: return cast(type, "(0u - " + wide + a + ")");
        case abs_: return a + " < 0 ? " + cast(type, "(0u - " + wide + a + ")") + " : " + a;
        case divide_: return "divide(" + a + ", " + b + ")";
        case fmod_: return "modulo(" + a + ", " + b + ")";
        case left_shift_: return "shift_left(" + a + ", " + b + ")";
        case right_shift_: return "shift_right(" + a + ", " + b + ")";
        case pow_: return "power(" + a + ", " + b + ")";
        case invert_: return type == dtype::boolean ? "!" + a : cast(type, "~" + a);
        case bitwise_and_: case bitwise_or_: case bitwise_xor_:
            return cast(type, "(" + a + " " + operator_symbol(n.op) + " " + b + ")");
        default: return a + " " + operator_symbol(n.op) + " " + b; // comparisons
        }
    }

    const graph& graph_;
};

template <class T>
std::string decimal(T value) {
    char text[64];
    const auto end = std::to_chars(text, text + sizeof(text), value).ptr; // the shortest that reads back
    std::string r(text, end);
    if (r.find_first_of(".e") == std::string::npos) r += ".0";
    return r;
}

} // namespace

const char* operator_symbol(graph_op op) {
    switch (op) {
    case add_: return "+";
    case subtract_: case negative_: return "-";
    case multiply_: return "*";
    case divide_: return "/";
    case equal_: return "==";
    case not_equal_: return "!=";
    case less_: return "<";
    case less_equal_: return "<=";
    case greater_: return ">";
    case greater_equal_: return ">=";
    case bitwise_and_: return "&";
    case bitwise_or_: return "|";
    case bitwise_xor_: return "^";
    case invert_: return "~";
    case left_shift_: return "<<";
    case right_shift_: return ">>";
    default: return nullptr;
    }
}

bool is_formula(graph_op op) {
    return op < load && !device_name(op) && !operator_symbol(op);
}

const char* type_name(dtype type) {
    static constexpr const char* names[] = {"bool",           "signed char",  "short", "int", "long long", "unsigned char",
                                            "unsigned short", "unsigned int", "unsigned long long", "float", "double"};
    return names[static_cast<int>(type)];
}

std::string literal(dtype type, std::uint64_t bits) {
    char hex[64];
    switch (type) {
    case dtype::boolean: return bits ? "true" : "false";
    case dtype::float32: {
        const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
        if (std::isfinite(value)) return decimal(value) + "f";
        std::snprintf(hex, sizeof(hex), "__uint_as_float(0x%08xu)", static_cast<unsigned>(bits));
        return hex;
    }
    case dtype::float64: {
        const auto value = std::bit_cast<double>(bits);
        if (std::isfinite(value)) return decimal(value);
        std::snprintf(hex, sizeof(hex), "__longlong_as_double(0x%016llxll)", static_cast<unsigned long long>(bits));
        return hex;
    }
    case dtype::uint64: return std::to_string(bits) + "ull";
    case dtype::uint32: return std::to_string(static_cast<std::uint32_t>(bits)) + "u";
    case dtype::uint8: return cast(type, std::to_string(static_cast<std::uint8_t>(bits)));
    case dtype::uint16: return cast(type, std::to_string(static_cast<std::uint16_t>(bits)));
    case dtype::int8: return cast(type, "(" + std::to_string(static_cast<std::int8_t>(bits)) + ")");
    case dtype::int16: return cast(type, "(" + std::to_string(static_cast<std::int16_t>(bits)) + ")");
    default: break;
    }
    // The lowest integers have no literal of their own.
    const bool wide = type == dtype::int64;
    const auto value = wide ? static_cast<std::int64_t>(bits) : static_cast<std::int32_t>(bits);
    const std::string suffix = wide ? "ll" : "";
    const bool lowest = wide ? value == std::numeric_limits<std::int64_t>::min() : value == std::numeric_limits<std::int32_t>::min();
    if (lowest) return "(" + std::to_string(value + 1) + suffix + " - 1)";
    return value < 0 ? "(" + std::to_string(value) + suffix + ")" : std::to_string(value) + suffix;
}

std::string input_name(int slot) {
    return "x" + std::to_string(slot);
}
std::string scalar_name(int number) {
    return "s" + std::to_string(number);
}

std::string value_parameters(const graph& g) {
    std::string r;
    const auto add = [&](const std::string& text) { r += (r.empty() ? "const " : ", const ") + text; };
    for (const int slot : g.slots()) {
        for (const graph_node& n : g.nodes()) {
            if (n.number != static_cast<std::uint64_t>(slot)) continue;
            if (n.op == load) add(std::string(type_name(n.type)) + " " + input_name(slot));
            if (n.op == position) add("long long i" + std::to_string(slot));
        }
    }
    for (std::size_t k = 0; k < g.scalars().size(); ++k)
        add(std::string(type_name(g.scalars()[k])) + " " + scalar_name(static_cast<int>(k)));
    return r;
}

std::string value_function(const graph& g, const std::string& function_name, const std::string& parameters) {
    const printer print(g);
    std::string r = std::string("__device__ __forceinline__ ") + type_name(g[g.result].type) + " " + function_name + "(" + parameters + ")\n{\n";
    std::vector<bool> needed(g.nodes().size());
    needed[static_cast<std::size_t>(g.result)] = true;
    for (int k = g.result; k >= 0; --k)
        if (needed[static_cast<std::size_t>(k)])
            for (const int a : g[k].args)
                if (a >= 0) needed[static_cast<std::size_t>(a)] = true;
    for (int k = 0; k <= g.result; ++k) {
        const graph_node& n = g[k];
        const bool has_line = n.op < load || n.op == graph_op::convert || n.op == graph_op::select;
        if (has_line && needed[static_cast<std::size_t>(k)] && k != g.result)
            r += std::string("    const ") + type_name(n.type) + " " + print.name(k) + " = " + print.value(k) + ";\n";
        else if (has_line && k == g.result)
            return r + "    return " + print.value(k) + ";\n}\n";
    }
    return r + "    return " + print.name(g.result) + ";\n}\n";
}

std::string expression_text(const graph& g) {
    constexpr std::size_t longest = 100;
    const printer print(g);
    std::vector<std::string> texts; // of each node, in order, so that shared ones are written once
    std::vector<bool> is_infix;
    for (int k = 0; k <= g.result; ++k) {
        const graph_node& n = g[k];
        const auto arg = [&](std::size_t i) -> const std::string& { return texts[static_cast<std::size_t>(n.args[i])]; };
        const auto inner = [&](std::size_t i) { return is_infix[static_cast<std::size_t>(n.args[i])] ? "(" + arg(i) + ")" : arg(i); };
        const char* const symbol = operator_symbol(n.op);
        std::string r;
        if (n.args[0] < 0) {
            r = n.op == position ? "position" : print.name(k);
        } else if (symbol && n.args[1] >= 0) {
            r = inner(0) + " " + symbol + " " + inner(1);
        } else if (symbol) {
            r = symbol + inner(0);
        } else {
            r = std::string(n.op == graph_op::convert ? name(n.type) : n.op == graph_op::select ? "where" : name(n.op)) + "(" + arg(0);
            for (std::size_t i = 1; i < 3 && n.args[i] >= 0; ++i) r += ", " + arg(i);
            r += ")";
        }
        texts.push_back(r.size() > longest ? "..." : r);
        is_infix.push_back(symbol && n.args[1] >= 0 && r.size() <= longest);
    }
    return texts.back();
}

std::string kernel_name(const graph& g) {
    std::vector<std::string> words;
    for (const graph_node& n : g.nodes())
        if (n.op < load && std::find(words.begin(), words.end(), name(n.op)) == words.end()) words.emplace_back(name(n.op));
    if (words.empty()) return g[g.result].op == graph_op::convert ? "cast" : g[g.result].op == load ? "copy" : "fill";
    std::string r = words[0];
    for (std::size_t k = 1; k < std::min<std::size_t>(words.size(), 4); ++k) r += "_" + words[k];
    return words.size() > 4 ? r + "_more" : r;
}

} // namespace sinter::detail::jit

// jit/text.cpp -- stage 4: the texts that elementwise and reduction kernels share.

#include "text.hpp"

namespace sinter::detail::jit {

std::string stride_name(int slot, int axis) {
    return (slot < 0 ? "out" : input_name(slot)) + "_s" + number(axis);
}

void declarations::add(const std::string& type, const std::string& name) {
    all_.push_back({"const " + type, name});
}
void declarations::add_pointer(const std::string& type, const std::string& name, bool is_restricted) {
    all_.push_back({type + (is_restricted ? "* __restrict__" : "*"), name});
}
std::string declarations::parameters(bool in_memory) const {
    if (in_memory) return "const unsigned long long* __restrict__ arguments";
    std::string r, line;
    for (const one& a : all_) {
        const std::string text = a.type + " " + a.name;
        if (line.size() + text.size() > 110) r += line + "\n    ", line.clear();
        line += text + (&a == &all_.back() ? "" : ", ");
    }
    return r + line;
}
std::string declarations::prologue(bool in_memory) const {
    std::string r;
    for (std::size_t k = 0; in_memory && k < all_.size(); ++k) {
        const bool is_pointer = all_[k].type.find('*') != std::string::npos;
        const std::string type = all_[k].type;
        r += "    " + type + " " + all_[k].name + " = " + (is_pointer ? "(" + type.substr(0, type.find('*') + 1) + ")arguments[" + number(k) + "];\n"
                                                                     : "*reinterpret_cast<" + type + "*>(arguments + " + number(k) + ");\n");
    }
    return r;
}

std::string offset_text(const kernel_form& form, int array, int slot) {
    std::string r;
    for (int axis = 0; axis < form.axes(); ++axis) {
        const step s = form.step_of(array, axis);
        if (s == step::none) continue;
        const std::string p = "p" + number(axis);
        r += (r.empty() ? "" : " + ") + p + (s == step::strided ? " * " + stride_name(slot, axis) : "");
    }
    return r.empty() ? "0" : r;
}

std::string positions_text(const kernel_form& form, const std::string& index, int first, int last, int scale, const std::string& indent) {
    const std::string type = index_type(form), times = scale == 1 ? "" : " * " + number(scale);
    if (last - first == 1) return indent + "const " + type + " p" + number(first) + " = " + index + times + ";\n";
    std::string r, rest = index;
    for (int axis = last; axis-- > first;) {
        const std::string p = "const " + type + " p" + number(axis) + " = ", extent = "e" + number(axis);
        if (axis == first) {
            r += indent + p + rest + ";\n";
            break;
        }
        r += indent + p + rest + " % " + extent + (axis == last - 1 ? times : "") + ";\n";
        if (axis - 1 == first) {
            rest = rest + " / " + extent;
        } else {
            const std::string next = "rest" + number(axis);
            r += indent + "const " + std::string(extent_type(form)) + " " + next + " = " + rest + " / " + extent + ";\n";
            rest = next;
        }
    }
    return r;
}

std::string body_text::element(int array, int slot) const {
    const std::string at = offset_text(form_, array, slot);
    return is_position(slot) ? "i" + number(slot) + " + " + at : input_name(slot) + "[" + at + "]";
}

void body_text::common_declarations::scalars() const {
    const std::vector<dtype>& types = w.g_.scalars();
    for (std::size_t k = 0; k < types.size(); ++k) d.add(type_name(types[k]), scalar_name(static_cast<int>(k)));
}
void body_text::common_declarations::stride(int slot, int, int axis) const {
    d.add(slot >= 0 && w.is_position(slot) ? "long long" : index_type(w.form_), stride_name(slot, axis));
}

const graph_node& body_text::input_node(int slot) const {
    for (const graph_node& n : g_.nodes())
        if ((n.op == graph_op::load || n.op == graph_op::position) && n.number == static_cast<std::uint64_t>(slot)) return n;
    return g_.nodes().front();
}

std::string heading(const std::string& kind, const std::string& expression, const kernel_form& form) {
    return "// " + expression + "\n// " + kind + ", " + (form.wide ? "64" : "32") + "-bit indices.\n\n";
}

} // namespace sinter::detail::jit

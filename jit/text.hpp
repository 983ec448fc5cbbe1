// jit/text.hpp -- stage 4: the texts that elementwise and reduction kernels share: arguments, positions along axes, offsets.
#pragma once

#include <string>

#include "kernel.hpp"
#include "source.hpp"

namespace sinter::detail::jit {

/// The arguments of a kernel in the order in which they are passed. `visit` has a function for each kind: the generator's
/// writes their declarations, the launch's their values. Arrays are the result, -1, and the inputs by their slots.
template <class Visit>
void for_arguments(const kernel_form& form, const std::vector<int>& slots, Visit&& visit) {
    visit.results();
    for (const int slot : slots) visit.input(slot);
    visit.scalars();
    visit.counts();
    for (int axis = 0; axis < form.axes(); ++axis) visit.extent(axis);
    for (int array = -1; array < static_cast<int>(slots.size()); ++array)
        for (int axis = 0; axis < form.axes(); ++axis)
            if (form.step_of(array + 1, axis) == step::strided) visit.stride(array < 0 ? -1 : slots[static_cast<std::size_t>(array)], array + 1, axis);
}

inline std::string number(std::int64_t n) {
    return std::to_string(n);
}

/// Types of indices: signed for offsets, unsigned for extents, by which division is faster.
inline const char* index_type(const kernel_form& form) {
    return form.wide ? "long long" : "int";
}
inline const char* extent_type(const kernel_form& form) {
    return form.wide ? "unsigned long long" : "unsigned";
}

/// Names: extents e0, positions p0, strides x0_s1 and out_s1.
std::string stride_name(int slot, int axis);

/// Declarations of arguments; and where they come in memory, the lines that read them.
class declarations {
public:
    void add(const std::string& type, const std::string& name);
    void add_pointer(const std::string& type, const std::string& name, bool is_restricted);
    std::string parameters(bool in_memory) const;
    std::string prologue(bool in_memory) const;

private:
    struct one {
        std::string type, name;
    };
    std::vector<one> all_;
};

/// "p0 * x0_s0 + p1": the offset of an array's element from the positions along all axes.
std::string offset_text(const kernel_form& form, int array, int slot);

/// Lines that give the positions p<first> … p<last - 1> of a linear index, the innermost times `scale`.
std::string positions_text(const kernel_form& form, const std::string& index, int first, int last, int scale, const std::string& indent);

/// What the writers of elementwise and of reduction kernels share: a body's inputs and scalars in words.
class body_text {
protected:
    body_text(const emitted_body& body, const kernel_form& form) : body_(body), g_(body.values), form_(form), last_(form.axes() - 1) {}

    bool is_position(int slot) const { return input_node(slot).op == graph_op::position; }
    const char* type_of(int slot) const { return type_name(input_node(slot).type); }
    /// An input's element at the positions p0 …
    std::string element(int array, int slot) const;
    /// The call of `value`, the body's function; `element(array, slot)` gives the text of each input.
    template <class Element>
    std::string call(Element element) const {
        std::string r;
        const auto add = [&](const std::string& text) { r += (r.empty() ? "" : ", ") + text; };
        for (std::size_t k = 0; k < body_.slots.size(); ++k) add(element(static_cast<int>(k) + 1, body_.slots[k]));
        for (std::size_t k = 0; k < g_.scalars().size(); ++k) add(scalar_name(static_cast<int>(k)));
        return "value(" + r + ")";
    }

    /// The visitor of for_arguments for what is declared alike in both.
    struct common_declarations {
        const body_text& w;
        declarations& d;
        void scalars() const;
        void extent(int axis) const { d.add(extent_type(w.form_), "e" + number(axis)); }
        void stride(int slot, int, int axis) const;
    };

    const emitted_body& body_;
    const graph& g_;
    const kernel_form& form_;
    int last_; // axis

private:
    const graph_node& input_node(int slot) const;
};

/// The first lines of a source: what it computes, and from what.
std::string heading(const std::string& kind, const std::string& expression, const kernel_form& form);

} // namespace sinter::detail::jit

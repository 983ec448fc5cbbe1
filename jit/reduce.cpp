// jit/reduce.cpp -- stage 4: reductions: each thread folds elements, then threads combine in a fixed order.

#include "reduce.hpp"

namespace sinter::detail::jit {
namespace {

class writer : body_text {
public:
    writer(const emitted_body& body, const reduction_source& reduction, const kernel_form& form)
        : body_text(body, form), r_(reduction), finds_(reduction.finds_position) {}

    std::pair<std::string, std::string> source() const {
        const std::string of = kernel_name(g_);
        const std::string name = std::string(r_.name) + (of == "copy" ? "" : "_" + of) + (form_.by_columns ? "_columns" : "_rows") +
                                 (form_.partial ? "_partial" : form_.of_partial ? "_final" : "");
        declarations d;
        for_arguments(form_, body_.slots, declaring{{*this, d}, *this});
        const std::string text = functions() + "\nextern \"C\" __global__ void __launch_bounds__(" + number(reduce_threads) + ")\n" + name + "(" +
                                 d.parameters(form_.in_memory) + ")\n{\n" + d.prologue(form_.in_memory) + (form_.by_columns ? columns() : rows()) +
                                 "}\n";
        const std::string kind = form_.by_columns ? "Neighbouring threads reduce neighbouring outputs"
                                 : threads() == 32 ? "Each warp reduces one output"
                                                   : "Each block reduces one output";
        const std::string expression = std::string("out = ") + r_.name + "(" + expression_text(g_) + ")";
        return {name, heading(kind + (form_.partial ? ", in chunks" : ""), expression, form_) + with_device_functions(text)};
    }

private:
    struct declaring : common_declarations {
        const writer& w;
        void results() {
            if (!w.form_.partial) return d.add_pointer(type_name(w.r_.result), "out", true);
            d.add_pointer(w.accumulator(), "out", true);
            if (w.finds_) d.add_pointer("long long", "out_positions", true);
        }
        void input(int slot) {
            if (w.is_position(slot)) return d.add("long long", "i" + number(slot));
            d.add_pointer(std::string("const ") + w.type_of(slot), input_name(slot), true);
            if (w.form_.of_partial && w.finds_) d.add_pointer("const long long", "positions", true);
        }
        void counts() {
            for (const char* const name : {"outputs", "length", "chunks"}) d.add(extent_type(w.form_), name);
        }
    };

    std::string accumulator() const { return type_name(r_.accumulator); }
    int threads() const { return form_.threads + 1; }

    // ---- the combination

    std::string functions() const {
        graph c;
        r_.combine(c);
        const std::string a = accumulator();
        std::string r = value_function(g_, "value", value_parameters(g_)) + "\n";
        if (!finds_) return r + value_function(c, "combine", "const " + a + " a, const " + a + " b");
        r += value_function(c, "replaces", "const " + a + " a, const " + a + " b");
        r += "\n// Of equal values the one that comes first.\n__device__ __forceinline__ void take(" + a + "& total, long long& at, const " + a +
             " other, const long long other_at)\n{\n    if (replaces(total, other) || (!replaces(other, total) && other_at < at)) {\n" +
             "        total = other;\n        at = other_at;\n    }\n}\n";
        return r;
    }
    /// total = combination of total and other.
    std::string fold(const std::string& total, const std::string& at, const std::string& other, const std::string& other_at) const {
        if (finds_) return "take(" + total + ", " + at + ", " + other + ", " + other_at + ");\n";
        return total + " = combine(" + total + ", " + other + ");\n";
    }
    std::string start(const std::string& suffix, const std::string& indent) const {
        const std::string identity = literal(r_.accumulator, r_.identity);
        const std::string list = !suffix.empty() ? "{" + repeated(identity, form_.vector) + "}" : identity;
        std::string r = indent + accumulator() + " total" + suffix + " = " + list + ";\n";
        if (finds_) r += indent + "long long at" + suffix + " = " + (suffix.empty() ? "0" : "{}") + ";\n";
        return r;
    }
    static std::string repeated(const std::string& text, int n) {
        std::string r = text;
        for (int k = 1; k < n; ++k) r += ", " + text;
        return r;
    }

    // ---- the elements

    std::string plain_value() const {
        return call([&](int array, int slot) { return element(array, slot); });
    }
    /// The position of the element at the linear index `index`.
    std::string position_of(const std::string& index) const {
        return form_.of_partial ? "positions[" + offset_text(form_, 1, body_.slots[0]) + "]" : index;
    }
    std::string kept_positions(const std::string& index, const std::string& indent) const {
        return form_.rank == 0 ? "" : positions_text(form_, index, 0, form_.rank, 1, indent);
    }
    std::string reduced_positions(const std::string& index, const std::string& indent) const {
        return positions_text(form_, index, form_.rank, form_.axes(), 1, indent);
    }

    // ---- rows

    std::string rows() const {
        const std::string index = index_type(form_), count = extent_type(form_), g = number(threads()), v = number(form_.vector);
        const std::string chunk = number(row_chunk);
        std::string r;
        if (threads() == 32) {
            r += "    const " + count + " row = " + block() + " * 8 + threadIdx.x / 32;\n    const int lane = threadIdx.x % 32;\n";
            r += "    if (row >= outputs) return; // the whole warp\n    const " + count + " from = 0, to = length;\n";
        } else {
            r += "    const " + count + " row = blockIdx.x / chunks, chunk = blockIdx.x % chunks;\n    const int lane = threadIdx.x;\n";
            r += "    const " + count + " from = chunk * " + chunk + ", to = min(length, from + " + chunk + ");\n";
        }
        r += kept_positions("row", "    ") + start("s[" + v + "]", "    ");
        r += "    for (" + count + " j = from + lane * " + v + "; j < to; j += " + number(threads() * form_.vector) + ") {\n";
        if (form_.vector > 1) r += "        if (j + " + v + " <= to) {\n" + whole_group("            ") + "            continue;\n        }\n";
        r += std::string("        for (int k = 0; k < ") + v + " && j + k < to; ++k) {\n" + reduced_positions("(j + k)", "            ") + "            " +
             fold("totals[k]", "ats[k]", plain_value(), position_of("j + k")) + "        }\n    }\n";
        r += "    " + accumulator() + " total = totals[0];\n" + (finds_ ? "    long long at = ats[0];\n" : "");
        if (form_.vector > 1)
            r += "#pragma unroll\n    for (int k = 1; k < " + v + "; ++k) " + fold("total", "at", "totals[k]", "ats[k]");
        r += across_warp();
        if (threads() > 32) r += across_block();
        r += "    if (lane == 0) {\n" + store("row", "row * chunks + chunk") + "    }\n";
        return r;
    }
    /// `vector` elements side by side along the innermost reduced axis.
    std::string whole_group(const std::string& indent) const {
        const std::string v = number(form_.vector);
        std::string r = reduced_positions("j", indent);
        for (std::size_t n = 0; n < body_.slots.size(); ++n) {
            const int array = static_cast<int>(n) + 1, slot = body_.slots[n];
            if (is_position(slot)) continue;
            const std::string at = offset_text(form_, array, slot), name = input_name(slot);
            const step s = form_.step_of(array, last_);
            if (s == step::unit) {
                r += indent + "const vec<" + type_of(slot) + ", " + v + "> " + name + "_of = load_vec<" + v + ">(" + name + " + (" + at + "));\n";
            } else if (s == step::none) {
                r += indent + "const " + type_of(slot) + " " + name + "_of = " + name + "[" + at + "];\n";
            } else {
                r += indent + "vec<" + type_of(slot) + ", " + v + "> " + name + "_of;\n#pragma unroll\n" + indent + "for (int k = 0; k < " + v +
                     "; ++k) " + name + "_of.at[k] = " + name + "[" + at + " + k" + (s == step::strided ? " * " + stride_name(slot, last_) : "") + "];\n";
            }
        }
        const std::string value = call([&](int array, int slot) {
            const step s = form_.step_of(array, last_);
            if (is_position(slot))
                return element(array, slot) + (s == step::none ? "" : s == step::strided ? " + k * " + stride_name(slot, last_) : " + k");
            return input_name(slot) + (s == step::none ? "_of" : "_of.at[k]");
        });
        std::string at = "j + k";
        if (form_.of_partial && finds_)
            at = "positions[" + offset_text(form_, 1, body_.slots[0]) + " + k]"; // partial accumulators lie side by side
        return r + "#pragma unroll\n" + indent + "for (int k = 0; k < " + v + "; ++k) " + fold("totals[k]", "ats[k]", value, at);
    }
    std::string block() const { return form_.wide ? "(unsigned long long)blockIdx.x" : "blockIdx.x"; }

    std::string across_warp() const {
        std::string r = "#pragma unroll\n    for (int by = 16; by > 0; by /= 2) {\n        const " + accumulator() + " other = shuffle_down(total, by);\n";
        if (finds_) r += "        const long long other_at = shuffle_down(at, by);\n";
        return r + "        " + fold("total", "at", "other", "other_at") + "    }\n";
    }
    std::string across_block() const {
        const std::string warps = number(reduce_threads / 32);
        std::string r = "    __shared__ " + accumulator() + " warp_totals[" + warps + "];\n";
        if (finds_) r += "    __shared__ long long warp_ats[" + warps + "];\n";
        r += "    if (lane % 32 == 0) {\n        warp_totals[lane / 32] = total;\n";
        if (finds_) r += "        warp_ats[lane / 32] = at;\n";
        r += "    }\n    __syncthreads();\n    if (lane == 0)\n        for (int k = 1; k < " + warps + "; ++k) ";
        return r + fold("total", "at", "warp_totals[k]", "warp_ats[k]");
    }

    // ---- columns

    std::string columns() const {
        const std::string count = extent_type(form_), chunk = number(column_chunk);
        const int side_by_side = reduce_threads / threads();
        std::string r = "    const " + count + " tiles = (outputs + " + number(side_by_side - 1) + ") / " + number(side_by_side) + ";\n";
        r += "    const " + count + " chunk = blockIdx.x / tiles, column = blockIdx.x % tiles * " + number(side_by_side) + " + threadIdx.x;\n";
        r += "    const " + count + " from = chunk * " + chunk + ", to = min(length, from + " + chunk + ");\n";
        r += start("", "    ") + "    if (column < outputs) {\n" + kept_positions("column", "        ");
        r += "        for (" + count + " j = from + threadIdx.y; j < to; j += " + number(threads()) + ") {\n" + reduced_positions("j", "            ") +
             "            " + fold("total", "at", plain_value(), position_of("j")) + "        }\n    }\n";
        if (threads() > 1) {
            const std::string n = number(threads()), side = number(side_by_side);
            r += "    __shared__ " + accumulator() + " totals[" + n + "][" + side + "];\n    totals[threadIdx.y][threadIdx.x] = total;\n";
            if (finds_) r += "    __shared__ long long ats[" + n + "][" + side + "];\n    ats[threadIdx.y][threadIdx.x] = at;\n";
            r += "    __syncthreads();\n    if (threadIdx.y == 0)\n        for (int k = 1; k < " + n + "; ++k) " +
                 fold("total", "at", "totals[k][threadIdx.x]", "ats[k][threadIdx.x]");
        }
        const std::string first = threads() > 1 ? "threadIdx.y == 0 && " : "";
        return r + "    if (" + first + "column < outputs) {\n" + store("column", "chunk * outputs + column") + "    }\n";
    }

    std::string store(const std::string& output, const std::string& partial_at) const {
        if (form_.partial)
            return "        out[" + partial_at + "] = total;\n" + (finds_ ? "        out_positions[" + partial_at + "] = at;\n" : "");
        return "        out[" + output + "] = (" + type_name(r_.result) + ")" + (finds_ ? "at" : "total") + ";\n";
    }

    const reduction_source& r_;
    bool finds_;
};

} // namespace

std::pair<std::string, std::string> reduce_source_text(const emitted_body& body, const reduction_source& reduction, const kernel_form& form) {
    return writer(body, reduction, form).source();
}

} // namespace sinter::detail::jit

// jit/loop.cpp -- stage 4: elementwise kernels: vectors of elements, several in flight; transposes through shared memory.

#include "loop.hpp"

namespace sinter::detail::jit {
namespace {

class writer : body_text {
public:
    writer(const emitted_body& body, dtype result, const kernel_form& form)
        : body_text(body, form), result_(result) {}

    std::pair<std::string, std::string> source() const {
        const std::string name = kernel_name(g_);
        declarations d;
        for_arguments(form_, body_.slots, declaring{{*this, d}, *this});
        const bool is_tiled = form_.tile_axis > 0;
        const int threads = is_tiled ? tile_side * tile_rows : loop_threads;
        const std::string text = value_function(g_, "value", value_parameters(g_)) + "\nextern \"C\" __global__ void __launch_bounds__(" +
                                 number(threads) + ")\n" + name + "(" + d.parameters(form_.in_memory) + ")\n{\n" +
                                 d.prologue(form_.in_memory) + (is_tiled ? tiled() : groups()) + "}\n";
        return {name, heading(kind(), "out = " + expression_text(g_), form_) + with_device_functions(text)};
    }

private:
    struct declaring : common_declarations {
        const writer& w;
        void results() { d.add_pointer(type_name(w.result_), "out", !w.form_.aliased); }
        void input(int slot) {
            if (w.is_position(slot)) d.add("long long", "i" + number(slot));
            else d.add_pointer(std::string("const ") + w.type_of(slot), input_name(slot), !w.form_.aliased);
        }
        void counts() {
            d.add(index_type(w.form_), "n");
            d.add(index_type(w.form_), "tail");
        }
    };

    step innermost(int array) const { return form_.step_of(array, last_); }

    std::string kind() const {
        if (form_.tile_axis > 0) return "Tiles of 32 x 32 elements, turned in shared memory";
        return std::string("Each thread: ") + number(form_.unroll) + " x " + number(form_.vector) + " elements";
    }


    // ---- vectors of elements

    std::string groups() const {
        const std::string index = index_type(form_), u = number(form_.unroll), v = number(form_.vector);
        std::string loads, declared;
        for (std::size_t k = 0; k < body_.slots.size(); ++k) load(static_cast<int>(k) + 1, body_.slots[k], declared, loads);
        const std::string block = form_.wide ? "(long long)blockIdx.x" : "blockIdx.x";
        std::string r = "    const " + index + " first = " + block + " * " + number(form_.unroll * loop_threads) + " + threadIdx.x;\n";
        r += "    " + index + " to[" + u + "];\n" + declared;
        r += "#pragma unroll\n    for (int u = 0; u < " + u + "; ++u) {\n";
        r += "        const " + index + " j = min(first + u * " + number(loop_threads) + ", n - 1);\n";
        r += positions_text(form_, "j", 0, form_.rank, form_.vector, "        ");
        r += "        to[u] = " + offset_text(form_, 0, -1) + ";\n" + loads + "    }\n";
        r += "#pragma unroll\n    for (int u = 0; u < " + u + "; ++u) {\n        if (first + u * " + number(loop_threads) + " >= n) break;\n";
        if (form_.vector == 1) {
            r += "        out[to[u]] = " + call([&](int array, int slot) { return loaded(array, slot); }) + ";\n    }\n";
        } else {
            r += "        vec<" + std::string(type_name(result_)) + ", " + v + "> y;\n#pragma unroll\n        for (int k = 0; k < " + v + "; ++k)\n";
            r += "            y.at[k] = " + call([&](int array, int slot) { return loaded(array, slot); }) + ";\n";
            r += "        store_vec(out + to[u], y);\n    }\n";
            if (form_.rank == 1) r += tail();
        }
        return r;
    }
    void load(int array, int slot, std::string& declared, std::string& loads) const {
        const std::string name = loaded_name(slot), at = offset_text(form_, array, slot), u = "[" + number(form_.unroll) + "]";
        const std::string v = number(form_.vector);
        if (is_position(slot)) {
            declared += "    long long " + name + u + ";\n";
            loads += "        " + name + "[u] = i" + number(slot) + " + " + at + ";\n";
        } else if (form_.vector == 1 || innermost(array) == step::none) {
            declared += std::string("    ") + type_of(slot) + " " + name + u + ";\n";
            loads += "        " + name + "[u] = " + input_name(slot) + "[" + at + "];\n";
        } else {
            declared += std::string("    vec<") + type_of(slot) + ", " + v + "> " + name + u + ";\n";
            if (innermost(array) == step::unit) {
                loads += "        " + name + "[u] = load_vec<" + v + ">(" + input_name(slot) + " + (" + at + "));\n";
            } else {
                const std::string k = innermost(array) == step::strided ? "k * " + stride_name(slot, last_) : "k";
                loads += "#pragma unroll\n        for (int k = 0; k < " + v + "; ++k)\n            " + name + "[u].at[k] = " + input_name(slot) + "[" + at +
                         " + " + k + "];\n";
            }
        }
    }
    std::string loaded_name(int slot) const { return (is_position(slot) ? "i" : "x") + number(slot) + "_of"; }
    std::string loaded(int array, int slot) const {
        const std::string name = loaded_name(slot) + "[u]";
        const step s = innermost(array);
        if (form_.vector == 1 || s == step::none) return name;
        if (!is_position(slot)) return name + ".at[k]";
        return name + (s == step::strided ? " + k * " + stride_name(slot, last_) : " + k");
    }
    std::string tail() const {
        std::string r = "    if (blockIdx.x == 0 && threadIdx.x < tail) { // behind the last whole vector\n";
        r += "        const " + std::string(index_type(form_)) + " p0 = n * " + number(form_.vector) + " + threadIdx.x;\n";
        r += "        out[" + offset_text(form_, 0, -1) + "] = " + call([&](int array, int slot) { return element(array, slot); }) + ";\n    }\n";
        return r;
    }

    // ---- tiles

    bool is_turned(int array, int slot) const {
        return !is_position(slot) && form_.step_of(array, form_.tile_axis - 1) == step::unit && innermost(array) == step::strided;
    }
    std::string tiled() const {
        const int axis = form_.tile_axis - 1;
        const std::string index = index_type(form_), count = extent_type(form_), side = number(tile_side);
        const std::string pa = "p" + number(axis), pl = "p" + number(last_), ea = "e" + number(axis), el = "e" + number(last_);
        std::string shared, loads, outer;
        for (std::size_t k = 0; k < body_.slots.size(); ++k) {
            const int array = static_cast<int>(k) + 1, slot = body_.slots[k];
            if (!is_turned(array, slot)) continue;
            const std::string tile = input_name(slot) + "_tile";
            shared += std::string("    __shared__ ") + type_of(slot) + " " + tile + "[" + side + "][" + number(tile_side + 1) + "];\n";
            loads += "            " + tile + "[r][threadIdx.x] = " + element(array, slot) + ";\n";
        }
        std::string rest = "rest";
        for (int k = last_; k-- > 0;) {
            if (k == axis) continue;
            outer += "    const " + index + " p" + number(k) + " = rest % e" + number(k) + ";\n    rest /= e" + number(k) + ";\n";
        }
        const auto rows = [&](const std::string& first, const std::string& second, const std::string& body) {
            return "    for (int r = threadIdx.y; r < " + side + "; r += " + number(tile_rows) + ") {\n        const " + index + " " + pa + " = along + " +
                   first + ", " + pl + " = across + " + second + ";\n        if (" + pa + " < " + ea + " && " + pl + " < " + el + ") {\n" + body +
                   "        }\n    }\n";
        };
        std::string r = shared + "    " + count + " rest = blockIdx.x;\n";
        r += "    const " + count + " tiles_across = (" + el + " + " + number(tile_side - 1) + ") / " + side + ", tiles_along = (" + ea + " + " +
             number(tile_side - 1) + ") / " + side + ";\n";
        r += "    const " + index + " across = rest % tiles_across * " + side + ";\n    rest /= tiles_across;\n";
        r += "    const " + index + " along = rest % tiles_along * " + side + ";\n    rest /= tiles_along;\n" + outer;
        r += rows("threadIdx.x", "r", loads) + "    __syncthreads();\n";
        const std::string value = call([&](int array, int slot) {
            return is_turned(array, slot) ? input_name(slot) + "_tile[threadIdx.x][r]" : element(array, slot);
        });
        return r + rows("r", "threadIdx.x", "            out[" + offset_text(form_, 0, -1) + "] = " + value + ";\n");
    }

    dtype result_;
};

} // namespace

std::pair<std::string, std::string> loop_source_text(const emitted_body& body, dtype result, const kernel_form& form) {
    return writer(body, result, form).source();
}

} // namespace sinter::detail::jit

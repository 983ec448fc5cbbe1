// jit/emulator/rewrite.cpp -- CUDA source as C++: kernels renamed, extern "C" dropped, dynamic shared arrays made pointers.
//
// A scan over words that knows comments and string literals, no parser.

#include "rewrite.hpp"

#include <cctype>
#include <cstddef>

#include "image.hpp"

namespace sinter::detail::jit::emulator {
namespace {

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$';
}

class scanner {
public:
    explicit scanner(const std::string& source) : source_(source) {}

    rewritten_source run() {
        while (at_ < source_.size()) {
            if (const std::size_t end = past_blank(at_); end > at_) {
                copy_to(end);
            } else if (source_[at_] == '"' || source_[at_] == '\'') {
                copy_to(past_quoted(at_));
            } else if (is_word(source_[at_])) {
                word();
            } else {
                if (source_[at_] == ';' || source_[at_] == '}') has_c_name_ = false;
                copy_to(at_ + 1);
            }
        }
        return std::move(result_);
    }

private:
    void copy_to(std::size_t end) {
        result_.text.append(source_, at_, end - at_);
        at_ = end;
    }
    /// Keeps lines and columns as they were.
    void blank_to(std::size_t end) {
        for (; at_ < end; ++at_) result_.text += source_[at_] == '\n' ? '\n' : ' ';
    }

    /// After white space and comments.
    std::size_t past_blank(std::size_t i) const {
        while (i < source_.size()) {
            if (std::isspace(static_cast<unsigned char>(source_[i]))) {
                ++i;
            } else if (source_.compare(i, 2, "//") == 0) {
                i = std::min(source_.find('\n', i), source_.size());
            } else if (source_.compare(i, 2, "/*") == 0) {
                const std::size_t end = source_.find("*/", i + 2);
                i = end == std::string::npos ? source_.size() : end + 2;
            } else {
                break;
            }
        }
        return i;
    }
    std::size_t past_quoted(std::size_t i) const {
        const char quote = source_[i++];
        while (i < source_.size() && source_[i] != quote && source_[i] != '\n') i += source_[i] == '\\' ? 2 : 1;
        return std::min(i + 1, source_.size());
    }
    std::size_t past_word(std::size_t i) const {
        while (i < source_.size() && is_word(source_[i])) ++i;
        return i;
    }
    std::size_t past_parentheses(std::size_t i) const {
        int depth = 0;
        for (; i < source_.size(); ++i) {
            if (source_[i] == '(') ++depth;
            if (source_[i] == ')' && --depth == 0) return i + 1;
        }
        return i;
    }
    std::string word_at(std::size_t i) const { return source_.substr(i, past_word(i) - i); }

    void word() {
        const std::size_t end = past_word(at_);
        const std::string text = source_.substr(at_, end - at_);
        for (const char* const start : {"__sync", "__shfl_", "__ballot_", "__any_", "__all_"})
            if (text.rfind(start, 0) == 0) result_.is_collective = true;
        if (text == "extern") return external(end);
        if (text == "__global__") return kernel(end);
        const bool is_number = std::isdigit(static_cast<unsigned char>(text[0]));
        copy_to(end);
        // 1'000 is a number, not the start of a character.
        while (is_number && at_ + 1 < source_.size() && source_[at_] == '\'' && is_word(source_[at_ + 1])) copy_to(past_word(at_ + 1));
    }

    void external(std::size_t end) {
        const std::size_t next = past_blank(end);
        if (source_.compare(next, 3, "\"C\"") == 0) {
            has_c_name_ = true;
            const std::size_t after = past_blank(next + 3);
            if (after < source_.size() && source_[after] == '{') return copy_to(after);
            return blank_to(next + 3);
        }
        if (word_at(next) == "__shared__") return dynamic_shared(past_word(next));
        copy_to(end);
    }

    /// extern __shared__ float values[];
    void dynamic_shared(std::size_t begin) {
        const std::size_t end = source_.find(';', begin);
        const std::size_t bracket = source_.find('[', begin);
        if (end == std::string::npos || bracket > end) return copy_to(begin);
        std::size_t type = past_blank(begin);
        while (word_at(type) == "__align__" || word_at(type) == "alignas") type = past_blank(past_parentheses(past_word(type)));
        std::size_t name_end = bracket;
        while (name_end > type && !is_word(source_[name_end - 1])) --name_end;
        std::size_t name = name_end;
        while (name > type && is_word(source_[name - 1])) --name;
        const std::string element = source_.substr(type, name - type);
        result_.text += element + "* const " + source_.substr(name, name_end - name) + " = reinterpret_cast<" + element +
                        "*>(emulated_state.dynamic_shared)";
        at_ = end;
    }

    void kernel(std::size_t end) {
        kernel_found found;
        std::size_t i = past_blank(end);
        while (true) {
            const std::string text = word_at(i);
            const std::size_t after = past_blank(past_word(i));
            if (text == "__launch_bounds__") {
                const std::size_t close = past_parentheses(after);
                const std::string bounds = source_.substr(after + 1, close - after - 2);
                found.greatest_block = bounds.substr(0, bounds.find(','));
                i = past_blank(close);
            } else if (!text.empty() && after < source_.size() && source_[after] == '(') {
                found.name = text;
                break;
            } else if (!text.empty()) {
                i = after;
            } else {
                return copy_to(end); // whatever it is, the compiler says so
            }
        }
        copy_to(i);
        result_.text += kernel_prefix;
        copy_to(past_word(i));
        if (has_c_name_) result_.kernels.push_back(found);
    }

    const std::string& source_;
    std::size_t at_ = 0;
    bool has_c_name_ = false;
    rewritten_source result_;
};

} // namespace

rewritten_source rewrite(const std::string& source) {
    return scanner(source).run();
}

std::string table_text(const rewritten_source& source) {
    std::string r = "constexpr emulated_kernel emulated_kernels[] = {\n";
    for (const kernel_found& k : source.kernels) {
        const std::string function = kernel_prefix + k.name;
        const std::string parameters = "decltype(emulated_parameters_of(" + function + "))";
        r += "{\"" + k.name + "\", [](void** p, unsigned begin, unsigned end) { emulated_run(" + function + ", p, begin, end); }, " +
             parameters + "::bytes, " + parameters + "::kinds, " + (k.greatest_block.empty() ? "0" : k.greatest_block) + ", " +
             (source.is_collective ? "1" : "0") + "},\n";
    }
    r += "{0, 0, 0, 0, 0, 0}};\n} // namespace\n";
    r += "extern \"C\" __attribute__((visibility(\"default"
         "\"))) const emulated_table " +
         std::string(kernel_table_name) + ";\n";
    r += "const emulated_table " + std::string(kernel_table_name) + " = {" + std::to_string(image_version) + ", " +
         std::to_string(source.kernels.size()) + ", &emulated_state, __start_sinter_shared, __stop_sinter_shared, emulated_kernels};\n";
    return r;
}

} // namespace sinter::detail::jit::emulator

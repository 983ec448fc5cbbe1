// jit/kernel.cpp -- stage 5: loading machine code, finding kernels again, launching them.

#include "kernel.hpp"

#include <map>
#include <mutex>

#include <sinter/core/error.hpp>

namespace sinter::detail::jit {
namespace {

struct kernel_table {
    std::mutex mutex;
    std::map<std::pair<int, std::string>, loaded_kernel> kernels; // by device and source
};
kernel_table& all_kernels() {
    static auto* const table = new kernel_table; // never deleted: bodies keep pointers to kernels
    return *table;
}

} // namespace

const loaded_kernel& load_kernel(int device, const std::string& name, const std::string& source) {
    kernel_table& table = all_kernels();
    const std::pair key(device, source);
    {
        const std::lock_guard lock(table.mutex);
        if (const auto at = table.kernels.find(key); at != table.kernels.end()) return at->second;
    }
    const auto code = machine_code_of(source, name, {properties(device).architecture, false, false});
    current_stream(device); // for its context
    cu_module module = nullptr;
    loaded_kernel made{nullptr, name, source, code->resources};
    if (const int status = drivers().cuModuleLoadData(&module, code->image.data()); status != 0)
        check(status, ("cuModuleLoadData of kernel " + name).c_str());
    if (const int status = drivers().cuModuleGetFunction(&made.function, module, name.c_str()); status != 0) {
        drivers().cuModuleUnload(module);
        check(status, ("cuModuleGetFunction of kernel " + name).c_str());
    }
    const std::lock_guard lock(table.mutex);
    const auto [at, is_first] = table.kernels.try_emplace(key, std::move(made));
    if (is_first)
        keep_module(device, module);
    else
        drivers().cuModuleUnload(module); // another thread was faster
    return at->second;
}

emitted_body::emitted_body(kernel_source& source, const void* body) {
    source.emit(body, values);
    if (source.reduction) values.result = values.convert(values.result, source.reduction->accumulator);
    slots = values.slots();
    if (values.nodes().size() > 40) most_unroll = 1; // enough to do for each element
}

emitted_body::emitted_body(dtype accumulator) : slots{0} {
    values.result = values.load(accumulator, 0);
}

emitted_body::~emitted_body() {
    for (const variant* v = variants_.load(); v;) delete std::exchange(v, v->next);
}

const loaded_kernel& emitted_body::add(int device, const kernel_form& form, const std::pair<std::string, std::string>& named_source) {
    const loaded_kernel& kernel = load_kernel(device, named_source.first, named_source.second);
    auto* const made = new variant{device, form, &kernel, variants_.load(std::memory_order_relaxed)};
    while (!variants_.compare_exchange_weak(made->next, made, std::memory_order_release, std::memory_order_relaxed)) {}
    return kernel;
}

std::shared_ptr<emitted_body> emitted(kernel_source& source, const void* body) {
    if (source.has_state) return std::make_shared<emitted_body>(source, body);
    auto* known = static_cast<emitted_body*>(source.kernels.load(std::memory_order_acquire));
    if (!known) {
        auto made = std::make_unique<emitted_body>(source, body);
        void* none = nullptr;
        if (source.kernels.compare_exchange_strong(none, made.get(), std::memory_order_acq_rel)) known = made.release();
        else known = static_cast<emitted_body*>(none);
    }
    return {std::shared_ptr<void>(), known}; // not owned: it lives as long as the program
}

void launch(const loaded_kernel& kernel, stream_slot& s, const launch_size& size, argument_list& arguments, bool in_memory) {
    constexpr std::int64_t most_blocks = 0x7fffffff;
    if (size.blocks == 0) return;
    if (size.blocks > most_blocks)
        throw device_error("kernel " + kernel.name + ": " + std::to_string(size.blocks) + " blocks; a launch has at most " + std::to_string(most_blocks));
    buffer memory;
    void* address = nullptr;
    void* only_argument[] = {&address};
    if (in_memory) {
        memory = buffer(arguments.bytes(), s.device);
        write_bytes(memory, 0, arguments.cells(), arguments.bytes());
        address = memory.data();
    }
    const int status = drivers().cuLaunchKernel(kernel.function, static_cast<unsigned>(size.blocks), 1, 1, size.threads_x, size.threads_y, 1, 0,
                                                s.stream, in_memory ? only_argument : arguments.pointers(), nullptr);
    if (status != 0) check(status, ("cuLaunchKernel of kernel " + kernel.name).c_str());
}

} // namespace sinter::detail::jit

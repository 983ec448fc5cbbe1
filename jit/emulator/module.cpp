// jit/emulator/module.cpp -- entry points of the emulated driver: modules, functions, launches.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fiber.hpp"
#include "fault.hpp"
#include "state.hpp"

namespace sinter::detail::jit {

using namespace emulator;

namespace {

constexpr std::size_t greatest_image = std::size_t{1} << 30;
constexpr unsigned greatest_shared = 48 << 10, greatest_parameters = 4096;

/// Writes memory that may not be there: a truncated image is an error, not a crash. Past the sanitizer, which would say so too.
bool write_all(int file, const void* from, std::size_t bytes) {
    for (std::size_t done = 0; done < bytes;) {
        const long n = syscall(SYS_write, file, static_cast<const char*>(from) + done, bytes - done);
        if (n <= 0) return false;
        done += static_cast<std::size_t>(n);
    }
    return true;
}

[[gnu::no_sanitize_address]] bool is_image(int file, const void* image, image_header& header) {
    if (!write_all(file, image, sizeof(header)) || pread(file, &header, sizeof(header), 0) != sizeof(header)) return false;
    if (std::memcmp(header.magic, image_magic, sizeof(image_magic)) != 0 || header.version != image_version ||
        header.header_checksum != checksum(&header, offsetof(image_header, header_checksum)) || header.bytes > greatest_image)
        return false;
    const void* const object = static_cast<const char*>(image) + sizeof(header);
    if (lseek(file, 0, SEEK_SET) != 0 || !write_all(file, object, header.bytes)) return false;
    std::vector<char> copy(header.bytes);
    return pread(file, copy.data(), header.bytes, 0) == static_cast<long>(header.bytes) && checksum(copy.data(), header.bytes) == header.checksum;
}

/// dlopen of the object in an image. Its file is gone afterwards, unless it is kept for a debugger.
void* open_image(const void* image, std::string& problem) {
    const char* const kept = std::getenv("SINTER_EMULATOR_KEEP");
    const bool is_kept = kept && *kept;
    const char* const parent = is_kept ? kept : std::getenv("TMPDIR");
    std::string path = std::string(parent && *parent ? parent : "/tmp") + "/sinter-emulator-XXXXXX";
    const int file = mkostemp(path.data(), O_CLOEXEC);
    if (file < 0) {
        problem = "cannot write to " + path;
        return nullptr;
    }
    image_header header{};
    void* r = nullptr;
    if (!is_image(file, image, header)) {
        problem = "not an image of the emulated NVRTC, or a damaged one";
    } else {
        if (is_kept) {
            char name[64];
            std::snprintf(name, sizeof(name), "/kernel-%016llx.so", static_cast<unsigned long long>(header.checksum));
            const std::string to = std::string(kept) + name;
            if (rename(path.c_str(), to.c_str()) == 0) path = to;
        }
        r = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!r) problem = dlerror();
    }
    close(file);
    if (!r || !is_kept) unlink(path.c_str());
    return r;
}

std::shared_ptr<module> load(const void* image, std::string& problem) {
    // Kernels name no library that they need, to be linked sooner; their mathematical functions must be there all the same.
    [[maybe_unused]] static void* const mathematics = dlopen("libm.so.6", RTLD_NOW | RTLD_GLOBAL);
    void* const library = open_image(image, problem);
    if (!library) return nullptr;
    std::shared_ptr<module> r(new module, [](module* m) {
        dlclose(m->library);
        delete m;
    });
    r->library = library;
    r->table = static_cast<const kernel_table*>(dlsym(library, kernel_table_name));
    if (!r->table || r->table->version != image_version) {
        problem = "an image of another version";
        return nullptr;
    }
    if (r->table->shared_end - r->table->shared_begin > greatest_shared) {
        problem = "more than 48 KiB of __shared__ variables";
        return nullptr;
    }
    r->table->state->wait_block = wait_block;
    r->table->state->wait_lanes = wait_lanes;
    r->table->state->trap = [] { end_work(cu_launch_failed, "__trap()"); };
    return r;
}

bool is_launchable(const function& f, const index3& grid, const index3& block, unsigned shared_bytes) {
    const unsigned long long threads = 1ull * block.x * block.y * block.z;
    if (block.x > 1024 || block.y > 1024 || block.z > 64 || threads == 0 || threads > 1024) return false;
    if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.x > 0x7fffffffu || grid.y > 65535 || grid.z > 65535) return false;
    const auto own = static_cast<unsigned>(f.from->table->shared_end - f.from->table->shared_begin);
    return shared_bytes <= greatest_shared - own;
}

/// As the call returns before the kernel runs, it takes the values that the pointers name.
bool copy_parameters(launch& l, void** parameters) {
    std::size_t bytes = 0, plain = 0;
    for (const unsigned* size = l.what.entry->parameter_bytes; *size; ++size) {
        l.offsets.push_back(bytes);
        bytes += (*size + 15) / 16 * 16;
        plain += *size;
    }
    if (plain > greatest_parameters || (bytes > 0 && !parameters)) return false;
    l.storage.resize((bytes + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t));
    for (std::size_t k = 0; k < l.offsets.size(); ++k) {
        if (!parameters[k]) return false;
        std::memcpy(reinterpret_cast<unsigned char*>(l.storage.data()) + l.offsets[k], parameters[k], l.what.entry->parameter_bytes[k]);
    }
    return true;
}

} // namespace

extern "C" {

int cuModuleLoadData(cu_module* handle, const void* image) {
    return enter_context([&](driver_state& e, context& c) -> int {
        if (!handle || !image) return cu_invalid_value;
        if (e.fails("module")) return cu_invalid_image;
        std::string problem;
        const auto m = load(image, problem);
        if (!m) {
            std::fprintf(stderr, "sinter emulator: cuModuleLoadData: %s\n", problem.c_str());
            return cu_invalid_image;
        }
        m->owner = &c;
        *handle = e.new_handle<cu_module>();
        e.modules[*handle] = m;
        return cu_success;
    });
}

int cuModuleUnload(cu_module handle) {
    return enter_context(
        [&](driver_state& e, context&) -> int {
            const auto m = e.modules.find(handle);
            if (m == e.modules.end()) return cu_invalid_handle;
            for (const cu_function f : m->second->functions) e.functions.erase(f);
            e.modules.erase(m);
            return cu_success;
        },
        true);
}

int cuModuleGetFunction(cu_function* handle, cu_module module_handle, const char* name) {
    return enter_context([&](driver_state& e, context&) -> int {
        if (!handle || !name) return cu_invalid_value;
        const auto m = e.modules.find(module_handle);
        if (m == e.modules.end()) return cu_invalid_handle;
        const kernel_table& table = *m->second->table;
        for (unsigned k = 0; k < table.kernel_count; ++k) {
            if (std::strcmp(table.kernels[k].name, name) != 0) continue;
            *handle = e.new_handle<cu_function>();
            e.functions[*handle] = {m->second->owner, m->second, &table.kernels[k]};
            m->second->functions.insert(*handle);
            return cu_success;
        }
        return cu_not_found;
    });
}

int cuFuncGetAttribute(int* value, int attribute, cu_function handle) {
    return enter_context([&](driver_state& e, context&) -> int {
        const auto f = e.functions.find(handle);
        if (f == e.functions.end()) return cu_invalid_handle;
        if (!value) return cu_invalid_value;
        switch (attribute) {
        case cu_shared_bytes: *value = static_cast<int>(f->second.from->table->shared_end - f->second.from->table->shared_begin); return cu_success;
        case cu_local_bytes: *value = 0; return cu_success;
        case cu_registers: *value = 32; return cu_success;
        default: return cu_invalid_value;
        }
    });
}

int cuLaunchKernel(cu_function handle, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,
                   unsigned shared_bytes, cu_stream stream_handle, void** parameters, void** extra) {
    return enter_context([&](driver_state& e, context& c) -> int {
        const auto f = e.functions.find(handle);
        const auto s = find_stream(c, stream_handle);
        if (f == e.functions.end() || !s || f->second.owner != &c) return cu_invalid_handle;
        const auto l = std::make_shared<launch>();
        l->what = f->second;
        l->grid = {grid_x, grid_y, grid_z};
        l->block = {block_x, block_y, block_z};
        l->shared_bytes = shared_bytes;
        if (extra || !is_launchable(f->second, l->grid, l->block, shared_bytes) || !copy_parameters(*l, parameters)) return cu_invalid_value;
        if (const unsigned greatest = f->second.entry->greatest_block; greatest != 0 && block_x * block_y * block_z > greatest) return cu_out_of_resources;
        if (e.fails("launch")) return cu_launch_failed;
        ++e.launches;
        enqueue(s, {std::string("kernel ") + f->second.entry->name, [l](context& on) { run_launch(on, *l); }});
        return cu_success;
    });
}

} // extern "C"
} // namespace sinter::detail::jit

// sinter/core/device.hpp -- where tensors live.
#pragma once

#include <string>

namespace sinter {

/// A place that holds tensors and runs kernels.
struct device {
    enum class type { cpu, cuda };
    type kind = type::cpu;
    int index = 0;

    friend bool operator==(const device&, const device&) = default;
    /// "cpu", "cuda:0".
    std::string name() const { return kind == type::cpu ? "cpu" : "cuda:" + std::to_string(index); }
};

/// The processor.
inline constexpr device cpu{device::type::cpu, 0};

/// The i-th NVIDIA GPU.
constexpr device cuda(int index) {
    return {device::type::cuda, index};
}

/// Whether a GPU can be used. False in this version, which has the CPU back end alone.
bool cuda_available();

namespace detail {
/// Throws device_error unless kernels can run on d.
void require_usable(device d);
} // namespace detail

} // namespace sinter

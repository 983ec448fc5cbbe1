// lib/device.cpp -- which devices there are.

#include <sinter/core/device.hpp>
#include <sinter/core/error.hpp>

namespace sinter {

bool cuda_available() {
    return false;
}

void detail::require_usable(device d) {
    if (d != cpu) throw device_error("device " + d.name() + ": this version of sinter has the CPU back end alone; use cpu");
}

} // namespace sinter

// jit/emulator/status.hpp -- the statuses of the driver that the emulator gives, beyond those that sinter names.
#pragma once

#include "../driver.hpp"

namespace sinter::detail::jit::emulator {

enum emulator_status {
    cu_success = 0,
    cu_not_initialized = 3,
    cu_invalid_device = 101,
    cu_invalid_image = 200,
    cu_invalid_context = 201,
    cu_invalid_source = 300,
    cu_invalid_handle = 400,
    cu_not_found = 500,
    cu_illegal_address = 700,
    cu_out_of_resources = 701,
    cu_context_destroyed = 709,
    cu_misaligned_address = 716,
    cu_unknown = 999,
};

} // namespace sinter::detail::jit::emulator

// jit/device.hpp -- stage 6: GPUs: their contexts, streams and memory, and copies to and from them.
//
// Everything on a device runs in the order of streams, one for each thread. What one thread's stream wrote, another's waits for
// before it reads; so the order in which the program's threads use a tensor is the order on the device too.
#pragma once

#include <string>

#include <sinter/core/buffer.hpp>

#include "driver.hpp"

namespace sinter::detail::jit {

/// How many GPUs there are: 0 without a driver. Never throws.
int device_count();

struct device_properties {
    std::string name;
    int architecture = 0; // 90 for compute capability 9.0
    int multiprocessors = 0;
    int threads_per_multiprocessor = 0;
    std::size_t memory_bytes = 0;
};
/// Throws device_error unless there is such a GPU.
const device_properties& properties(int device);

/// A stream of a device, and what belongs to it. They are used again and never deleted, so pointers to them stay valid.
struct stream_slot {
    int device = -1;
    cu_stream stream = nullptr;
    cu_event event = nullptr;      // recorded when another stream is to wait for this one
    bool closed = false;           // the user's, given back: `event` says where it ended
    bool is_users = false;
    cublas_handle blas = nullptr;
};

/// The calling thread's stream on a device, whose context becomes the thread's. Throws device_error, also without such a GPU.
stream_slot& current_stream(int device);

/// Memory from the device's pool. When there is none left the pool is trimmed, and it is tried once more. Throws out_of_memory.
block* allocate_on(int device, std::size_t bytes);
void release_on_device(block* unowned);

/// What is enqueued on `s` from now on may read the block; may also write it.
void order_read(block& b, stream_slot& s);
void order_write(block& b, stream_slot& s);

/// Copies into a block, or out of it; those to the host wait for the values.
void copy_from_host(block& to, std::size_t offset, const void* from, std::size_t bytes);
void copy_to_host(void* to, block& from, std::size_t offset, std::size_t bytes);
void copy_on_devices(block& to, block& from, std::size_t bytes);

/// Waits for the calling thread's stream.
void synchronize(int device);

/// Takes over a module, unloaded when the program ends.
void keep_module(int device, cu_module module);

/// An address as the driver takes it.
inline cu_address address_of(const void* p) {
    return reinterpret_cast<cu_address>(p);
}

} // namespace sinter::detail::jit

// jit/cache.hpp -- stage 5: machine code on disk: one file an entry, compared byte for byte with the source that asks for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "compile.hpp"

namespace sinter::detail::jit {

/// What an entry must agree with, all of it, to be used.
struct cache_key {
    std::string compiler; // which NVRTC: "13.0"
    std::string options;
    int architecture = 0;
    std::string source;
};

/// The folder: SINTER_CACHE_DIR, or $XDG_CACHE_HOME/sinter, or $HOME/.cache/sinter. Made where it is missing, for its owner
/// alone. Empty when there is none to use, and then `problem` says why: no HOME, not the user's own, others may write to it.
struct cache_folder {
    std::string path;
    std::string problem;
};
cache_folder disk_cache();

/// The entry, or nothing: missing, or damaged and then deleted. Marks it as used.
std::optional<machine_code> cached(const cache_key& key);

/// Writes the entry under another name and renames it; a disk that is full or read-only is no error. Then deletes the entries
/// used longest ago while all together take more than SINTER_CACHE_BYTES (default 256 MiB).
void keep(const cache_key& key, const machine_code& code);

/// Bytes that all entries take.
std::uint64_t disk_cache_bytes();

} // namespace sinter::detail::jit

// SPDX-License-Identifier: BSD-3-Clause
// Accesses that move all bytes asked for, in as many system calls as that takes.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <span>

#include "mpiio/storage/storage.hpp"

namespace bowline::mpiio {

/// How an access ended.
struct Outcome {
  std::size_t bytes = 0;  ///< moved, without a gap from the beginning
  int error = 0;          ///< error number; 0: everything was moved, or the file ended where something was to be read
};

/// One system call moves at most this many bytes on Linux.
inline constexpr std::size_t most_at_once = 0x7ffff000;

Outcome read_all(Storage& storage, Offset offset, std::span<std::byte> target) noexcept;
Outcome write_all(Storage& storage, Offset offset, std::span<const std::byte> source) noexcept;

/// Reads or writes data that are consecutive in the file and lie in several places in memory. The lists are used up.
Outcome read_list(Storage& storage, Offset offset, std::span<iovec> targets) noexcept;
Outcome write_list(Storage& storage, Offset offset, std::span<iovec> sources) noexcept;

}  // namespace bowline::mpiio

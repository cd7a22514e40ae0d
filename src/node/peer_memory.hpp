// SPDX-License-Identifier: BSD-3-Clause
// Reading and writing the memory of another process of this node by a system call (cross-memory attach). The call takes
// the number of a process, which says little: another process may have it by now, or has it here, if the owner runs in
// another pid namespace. So each process has a mark at some address, and tells both.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace bowline::node {

/// Which process is meant. It travels as bytes.
struct ProcessMark {
  std::int32_t process = 0;   ///< as its peers see it; 0: they do not
  std::uint64_t address = 0;  ///< of the mark in that process
  std::uint64_t value = 0;
};

/// Of this process: the same at each call.
ProcessMark own_mark();

/// Reads from `theirs` in that process, as process_vm_readv does: returns how many bytes, or -1 and sets errno. ESRCH:
/// the process has ended, or another one has its number; nothing of another process's memory is told then.
ssize_t read_memory(const ProcessMark& of, const void* theirs, std::span<std::byte> mine) noexcept;
/// The same for writing. The process is found to be the right one right before the call that writes.
ssize_t write_memory(const ProcessMark& of, std::span<const std::byte> mine, void* theirs) noexcept;

/// Whether both calls are allowed on that process, and it is the right one.
bool reaches(const ProcessMark& process) noexcept;

/// A number that the processes of one pid namespace have, and no others; 0 if it cannot be known.
std::uint64_t pid_namespace() noexcept;

}  // namespace bowline::node

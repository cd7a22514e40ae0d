// SPDX-License-Identifier: BSD-3-Clause
// Reading and writing the memory of another process of this node by a system call (cross-memory attach). The call takes
// a pid. Another process may have that pid by now, or has it in this pid namespace if the owner runs in another one. So
// each process publishes a mark and its address, which the calls verify, unless they have done so a moment ago
// (recent_proofs.hpp): with short data that costs as much as the data.
#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace bowline::node {

/// Identifies a process. It travels as bytes.
struct ProcessMark {
  std::int32_t process = 0;   ///< pid as the process's peers see it; 0: not visible to them
  std::uint32_t padding = 0;  ///< initialized, so that equal marks have equal bytes
  std::uint64_t address = 0;  ///< address of the mark in that process
  std::uint64_t value = 0;
};

/// Whether the tunable cross_memory_attach allows the calls below.
bool allows_single_copy() noexcept;

/// The mark of this process, equal at each call.
ProcessMark own_mark();

/// Reads from `theirs` in that process, like process_vm_readv: returns the number of bytes, or -1 and sets errno.
/// ESRCH: the process has ended, or another process has its pid; then no memory of that other process is returned.
ssize_t read_memory(const ProcessMark& of, const void* theirs, std::span<std::byte> mine) noexcept;
/// Writes to `theirs` in that process; otherwise like read_memory().
ssize_t write_memory(const ProcessMark& of, std::span<const std::byte> mine, void* theirs) noexcept;

/// The greatest number of pieces that the calls below take.
inline constexpr std::size_t most_pieces = 64;

/// Copies memory of that process, given as pieces, to pieces of this process's memory, or the other way round; both
/// lists have equally many bytes. Returns the number of bytes from the beginning of the lists that were copied, or -1
/// and sets errno, like read_memory().
ssize_t read_pieces(const ProcessMark& of, std::span<const iovec> theirs, std::span<const iovec> mine) noexcept;
ssize_t write_pieces(const ProcessMark& of, std::span<const iovec> mine, std::span<const iovec> theirs) noexcept;

/// Whether the system allows reading and writing in that process, and its mark is right.
bool reaches(const ProcessMark& process) noexcept;

/// A number that identifies the pid namespace of this process; 0 if unknown.
std::uint64_t pid_namespace() noexcept;

}  // namespace bowline::node

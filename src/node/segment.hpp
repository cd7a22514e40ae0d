// SPDX-License-Identifier: BSD-3-Clause
// Shared memory between the processes of one node, anonymous: it has no name in any file system, so nothing can be left
// behind, collide with another user's, or be limited by the size of /dev/shm.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <span>
#include <string>

namespace bowline::node {

/// A mapped part of a segment; unmapped when destroyed. Move-only.
class Mapping {
 public:
  Mapping() = default;
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) noexcept;
  ~Mapping();

  std::byte* data() const noexcept { return bytes_.data(); }
  std::size_t size() const noexcept { return bytes_.size(); }
  /// Backs the pages that `part`, a part of these bytes, lies in with memory, as Segment::reserve() does, and has them
  /// at hand for this process. Others may write there meanwhile. Throws Error as that does.
  void reserve(std::span<std::byte> part) const;

 private:
  friend class Segment;
  explicit Mapping(std::span<std::byte> bytes) noexcept : bytes_(bytes) {}
  std::span<std::byte> bytes_;
};

/// A memory file (memfd). It has a size from the start, but memory only where reserve() was called. Move-only; the
/// descriptor is closed when destroyed, the memory lives while any process has it open or mapped.
class Segment {
 public:
  /// Makes a new segment of `bytes` bytes, all zero. `label` shows up in /proc/PID/maps.
  static Segment create(const std::string& label, std::size_t bytes);
  /// Opens the segment that process `pid` has open as descriptor `fd`; throws Error if this process may not.
  static Segment open(pid_t pid, int fd);

  Segment(Segment&& other) noexcept;
  Segment& operator=(Segment&& other) noexcept;
  ~Segment();

  int descriptor() const noexcept { return fd_; }
  /// Backs [offset, offset + bytes) with memory, so that touching it later ends neither in SIGBUS nor in somebody's
  /// death for want of memory. Throws Error (MPI_ERR_NO_MEM) that says how much was needed and how much was found.
  /// `besides`: bytes that are likely to be reserved later; throws if they are not there now, too.
  void reserve(std::size_t offset, std::size_t bytes, std::size_t besides = 0);
  /// Maps [offset, offset + bytes) for reading and writing; `offset` is a multiple of the page size.
  Mapping map(std::size_t offset, std::size_t bytes) const;

 private:
  explicit Segment(int fd) noexcept : fd_(fd) {}
  int fd_ = -1;
};

}  // namespace bowline::node

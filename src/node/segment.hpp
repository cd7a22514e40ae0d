// SPDX-License-Identifier: BSD-3-Clause
// Shared memory between the processes of one node, anonymous: it has no name in any file system, so nothing can be left
// behind, collide with another user's, or be limited by the size of /dev/shm.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "node/handover.hpp"

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

struct OpenedSegment;

/// A memory file (memfd). It has a size from the start, which nobody can change, but memory only where reserve() was
/// called. Move-only; the descriptor is closed when destroyed, the memory lives while any process has it open or
/// mapped.
class Segment {
 public:
  /// Makes a new segment of `bytes` bytes, all zero. `label` shows up in /proc/PID/maps.
  static Segment create(const std::string& label, std::size_t bytes);
  /// Has other processes of this node open the segment with this ticket, as long as the object lives. Its first eight
  /// bytes become the ticket's secret: they prove to the others which memory they have. The page they lie in is
  /// reserved.
  const Ticket& offer();
  const Ticket& ticket() const noexcept { return handover_.ticket(); }
  /// Opens the segment that another process has offered, if it has `bytes` bytes at least. Throws Error (other) if this
  /// process cannot.
  static OpenedSegment open(const Ticket& ticket, std::size_t bytes);

  int descriptor() const noexcept { return file_.number(); }
  std::size_t bytes() const noexcept;
  /// Backs [offset, offset + bytes) with memory, so that touching it later ends neither in SIGBUS nor in somebody's
  /// death for want of memory. Throws Error (MPI_ERR_NO_MEM) that says how much was needed and how much was found.
  /// `besides`: bytes that are likely to be reserved later; throws if they are not there now, too.
  void reserve(std::size_t offset, std::size_t bytes, std::size_t besides = 0);
  /// Maps [offset, offset + bytes) for reading and writing; `offset` is a multiple of the page size.
  Mapping map(std::size_t offset, std::size_t bytes) const;

 private:
  explicit Segment(Descriptor file) noexcept : file_(std::move(file)) {}
  Descriptor file_;
  Handover handover_;  ///< after the file: it ends first
};

struct OpenedSegment {
  Segment segment;
  pid_t process;          ///< that has offered it, as this process sees it; 0: it sees no such process
  Descriptor connection;  ///< to that process, if it had to be asked: see Taken
};

}  // namespace bowline::node

// SPDX-License-Identifier: BSD-3-Clause
// Shared memory between the processes of one node, anonymous: it has no name in any file system, so it leaves no file
// behind, collides with no other user's memory, and is not limited by the size of /dev/shm.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
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
  /// Allocates the pages of `part`, a part of these bytes, like Segment::reserve(), and maps them into this process.
  /// Other processes may write there meanwhile. Throws Error like reserve().
  void reserve(std::span<std::byte> part) const;

 private:
  friend class Segment;
  /// `before`: mapped bytes before these, because a page begins there.
  Mapping(std::span<std::byte> bytes, std::size_t before) noexcept : bytes_(bytes), before_(before) {}
  std::byte* begin_of_pages() const noexcept { return bytes_.data() - before_; }

  std::span<std::byte> bytes_;
  std::size_t before_ = 0;
};

struct OpenedSegment;

/// A memory file (base/memory_file.hpp). Its size is fixed at the start; only reserved parts have pages. Move-only; the
/// destructor closes the descriptor, and the memory lives as long as any process has it open or mapped.
class Segment {
 public:
  /// Makes a new segment of `bytes` bytes, all zero. `label` shows up in /proc/PID/maps.
  static Segment create(const std::string& label, std::size_t bytes);
  /// Lets other processes of this node open the segment with the returned ticket, during the lifetime of the object.
  /// Writes the ticket's secret into the first eight bytes, by which other processes recognize the memory, and reserves
  /// the first page.
  const Ticket& offer();
  const Ticket& ticket() const noexcept { return handover_.ticket(); }
  /// Opens the segment that another process has offered, if it has at least `bytes` bytes. Throws Error (other) on
  /// failure.
  static OpenedSegment open(const Ticket& ticket, std::size_t bytes);
  /// Opens an offered segment without the owner's help and without waiting: nothing where /proc does not show it.
  static std::optional<Segment> open_in_proc(const Ticket& ticket, std::size_t bytes);
  /// Copies the bytes at `offset` of an offered segment, without the owner's help and without waiting: returns false,
  /// and nothing is known, if this process cannot.
  static bool look(const Ticket& ticket, std::size_t offset, std::span<std::byte> to);
  /// Whether /proc shows that the owner of an offered segment has closed it. False if /proc does not show the owner's
  /// descriptors. Only for an owner in this process's pid namespace.
  static bool is_closed(const Ticket& ticket);

  int descriptor() const noexcept { return file_.number(); }
  std::size_t bytes() const noexcept;
  /// Allocates the pages of [offset, offset + bytes), so that touching them later neither raises SIGBUS nor makes the
  /// kernel kill a process for lack of memory. Throws Error (MPI_ERR_NO_MEM) that says how much was needed and how much
  /// was found. `besides`: bytes that will probably be reserved later; throws if these bytes are not available now,
  /// too.
  void reserve(std::size_t offset, std::size_t bytes, std::size_t besides = 0);
  /// Maps [offset, offset + bytes) for reading and writing. If `alignment` is given, the address is a multiple of it, a
  /// power of two, and `offset` is 0. Otherwise a page of the processor, which may have 4 to 64 KiB, may begin before
  /// `offset`.
  Mapping map(std::size_t offset, std::size_t bytes, std::size_t alignment = 1) const;

 private:
  explicit Segment(Descriptor file) noexcept : file_(std::move(file)) {}
  Descriptor file_;
  Handover handover_;  ///< after the file: destroyed first
};

struct OpenedSegment {
  Segment segment;
  pid_t process;          ///< pid of the offering process as seen here; 0: not visible
  Descriptor connection;  ///< a connection to the offering process, if it was asked: see Taken
};

}  // namespace bowline::node

// SPDX-License-Identifier: BSD-3-Clause
// Storage: one open file, as the operating system offers it. Everything above reads and writes through this interface,
// so tests can put a storage with faults (faulty_storage.hpp) below any algorithm.
#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace bowline::mpiio {

/// A place in a file, or a distance between two places, in bytes.
using Offset = std::int64_t;

/// The bytes of a file from `begin` to before `end`.
struct Extent {
  Offset begin = 0;
  Offset end = 0;

  Offset length() const noexcept { return end - begin; }
  bool empty() const noexcept { return begin >= end; }
  bool overlaps(const Extent& other) const noexcept { return begin < other.end && other.begin < end; }
  bool operator==(const Extent&) const = default;
};

/// Whether several owners may hold a lock at the same time.
enum class LockKind : std::uint8_t { shared, exclusive };

/// All functions may be called by several threads at the same time. They return what the system call returns, with the
/// error number in place of errno: functions that move data return a negative error number, the other functions a
/// positive one (0: success).
class Storage {
 public:
  virtual ~Storage() = default;

  // One system call each, which may move fewer bytes than asked for. whole_access.hpp has the loops around them.
  virtual ssize_t read_some(Offset offset, std::span<std::byte> target) noexcept = 0;
  virtual ssize_t write_some(Offset offset, std::span<const std::byte> source) noexcept = 0;
  /// One system call each, for data that are consecutive in the file and lie in several places in memory, at most
  /// `most_pieces`.
  virtual ssize_t read_list_some(Offset offset, std::span<const iovec> targets) noexcept = 0;
  virtual ssize_t write_list_some(Offset offset, std::span<const iovec> sources) noexcept = 0;

  /// Returns when the data that were written have reached the device.
  virtual int sync() noexcept = 0;
  virtual int size(Offset& bytes) noexcept = 0;
  virtual int truncate(Offset bytes) noexcept = 0;
  /// Allocates space for the first `bytes` bytes; makes the file longer if necessary.
  virtual int preallocate(Offset bytes) noexcept = 0;

  /// A lock on a part of the file, which excludes all locks that other opens of the file hold, on all nodes if the file
  /// system supports locks between nodes. lock() waits. Locks of one open replace each other and are released when it
  /// is closed.
  virtual int lock(Extent part, LockKind kind) noexcept = 0;
  virtual int unlock(Extent part) noexcept = 0;
  /// Sets `found` to whether another open holds any lock in this part.
  virtual int find_lock(Extent part, bool& found) noexcept = 0;

  /// Closes the file, which tells of writes that failed after they had returned (NFS). No function may be called after
  /// close().
  virtual int close() noexcept = 0;

  /// The descriptor by which the kernel may move data asynchronously; -1 if all data must go through this object.
  virtual int descriptor() const noexcept = 0;

  /// The number of pieces that one system call takes (IOV_MAX).
  static constexpr std::size_t most_pieces = 1024;
};

}  // namespace bowline::mpiio

// SPDX-License-Identifier: BSD-3-Clause
// WindowAccess: an aggregator's access to the part of the file in one window, which a thread of the library may execute
// while the processes exchange the data of another window.
#pragma once

#include <cstddef>

#include "mpiio/async/work.hpp"
#include "mpiio/collective/window_memory.hpp"
#include "mpiio/file/file.hpp"
#include "mpiio/storage/whole_access.hpp"

namespace bowline::mpiio {

/// Where an access failed.
struct Fault {
  Offset offset = 0;      ///< place of the first byte that was not moved
  int error = 0;          ///< error number; 0: no access has failed
  std::size_t bytes = 0;  ///< bytes that the failed call was to move from `offset` on
};

class WindowAccess final : public Work {
 public:
  WindowAccess(File& file, bool writes) noexcept : Work(file.comm().engine()), file_(file), writes_(writes) {}

  /// Begins the next access. It writes the bytes that the window's coverage names, and clears the coverage; or it reads
  /// `part`, of which valid_end tells how much the file has. After a fault, nothing is accessed any more.
  void set(const FileWindow& window, Offset window_begin, Extent part, std::size_t granule) noexcept;
  bool idle() const noexcept { return part_.empty(); }

  void execute() noexcept override;
  /// To be called after the end of each access, by the thread that waits for it.
  void settle() noexcept { part_ = {}; }
  /// The first fault of all accesses so far.
  const Fault& fault() const noexcept { return fault_; }

 private:
  void read() noexcept;
  void write() noexcept;
  void write_runs() noexcept;
  bool fill_gaps(Extent span);
  void note(const Outcome& outcome, Offset offset, std::size_t bytes) noexcept;
  Extent extent_of(GranuleRun run) const noexcept;
  std::byte* at(Offset offset) const noexcept { return window_.image + (offset - begin_); }

  File& file_;
  bool writes_;
  FileWindow window_{};
  Offset begin_ = 0;
  Extent part_;
  std::size_t granule_ = 1;
  Fault fault_;
};

}  // namespace bowline::mpiio

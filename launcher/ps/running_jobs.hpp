// SPDX-License-Identifier: BSD-3-Clause
// The jobs that mpiexec runs on this machine and whose memory this user may read: found by the wait boards that
// mpiexec keeps open (base/waits/wait_slot.hpp).
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "launcher/hang/wait_report.hpp"

namespace bowline::launcher {

/// The memory of a board, mapped to be read.
class BoardView {
 public:
  /// `path`: of the open file of another process, below /proc. Is not valid if the file is no board, or cannot be read.
  explicit BoardView(const std::string& path);
  ~BoardView();
  BoardView(BoardView&& other) noexcept { swap(other); }
  BoardView& operator=(BoardView&& other) noexcept {
    swap(other);
    return *this;
  }

  bool valid() const noexcept { return memory_ != nullptr; }
  /// What each rank says now, in the order of ranks.
  std::vector<RankView> ranks() const;

 private:
  void swap(BoardView& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(bytes_, other.bytes_);
  }

  const std::byte* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

struct RunningJob {
  pid_t launcher = 0;   ///< process id of mpiexec
  std::string command;  ///< its command line
  BoardView board;
};

/// The jobs of these processes of mpiexec, of all if none is given; in ascending order of process ids.
std::vector<RunningJob> running_jobs(std::span<const pid_t> launchers);

}  // namespace bowline::launcher

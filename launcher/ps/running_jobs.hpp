// SPDX-License-Identifier: BSD-3-Clause
// The jobs that run on this machine and whose memory this user may read: found by the wait boards that mpiexec keeps
// open, and by those of ranks that have none from their launcher (base/waits/wait_slot.hpp).
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
  /// Appends what each rank says now, in the order of ranks. `process`: the id of the process that has made the board
  /// for itself, which may know itself by another one; 0 for other boards.
  void read(std::vector<RankView>& ranks, pid_t process = 0) const;

 private:
  void swap(BoardView& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(bytes_, other.bytes_);
  }

  const std::byte* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

struct RunningJob {
  pid_t launcher = 0;               ///< process id of mpiexec; 0: another launcher has started the ranks, or none
  std::string name{};               ///< by the other launcher
  std::string command{};            ///< the command line of mpiexec, or of the first rank
  int size = 0;                     ///< of the job
  std::vector<int> numbers{};       ///< the ranks that are here, in ascending order
  std::vector<BoardView> boards{};  ///< of mpiexec, or one of each rank
  std::vector<pid_t> processes{};   ///< of the ranks, if mpiexec has not started them

  /// A process by which the user can name the job.
  pid_t named_by() const { return launcher != 0 ? launcher : processes.front(); }
  /// What each of these ranks says now, with the place of its call.
  std::vector<RankView> ranks() const;
};

/// The jobs of these processes, of mpiexec or ranks that other launchers have started; of all if none is given. Those
/// of mpiexec come first, in ascending order of process ids.
std::vector<RunningJob> running_jobs(std::span<const pid_t> processes);

}  // namespace bowline::launcher

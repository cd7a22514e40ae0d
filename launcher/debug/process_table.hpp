// SPDX-License-Identifier: BSD-3-Clause
// The table of the ranks' processes for debuggers. The process of mpiexec that runs the job fills it; the one that the
// user sees, which debuggers know, shows it (mpir.hpp).
#pragma once
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "launcher/job/job.hpp"

struct MPIR_PROCDESC;

namespace bowline::launcher {

/// Made before the two processes part; its memory is that of both. Of the job that the user has started only: the
/// interface knows no others.
class ProcessTable {
 public:
  enum class News : char { started = 's', failed = 'f' };

  /// Throws LaunchError.
  explicit ProcessTable(const Job& job);
  ~ProcessTable();
  ProcessTable(const ProcessTable&) = delete;
  ProcessTable& operator=(const ProcessTable&) = delete;

  // ---- in the process that runs the job

  void set(int rank, pid_t process) noexcept;
  /// All ranks are started.
  void tell_started() noexcept;
  void tell_failure(const std::string& sentence) noexcept;

  // ---- in the process that the user sees

  /// Can be read when there are news.
  int descriptor() const noexcept { return news_[0]; }
  /// Shows debuggers what has happened; returns it. To be called until it returns nothing.
  std::optional<News> show_next();
  pid_t process_of(int rank) const noexcept;

 private:
  void tell(News news) noexcept;

  std::vector<std::string> programs_;  ///< absolute paths
  std::string host_;
  int size_;
  MPIR_PROCDESC* entries_;
  char* failure_;
  void* memory_;
  std::size_t bytes_;
  int news_[2];
};

/// What the process that runs the job knows of debuggers.
struct DebuggerAccess {
  ProcessTable* processes = nullptr;  ///< nobody wants to know; the object outlives the job
  int gate = -1;                      ///< at its end of file, ranks wait no longer for a debugger; -1: none waits
  bool in_init = false;               ///< all ranks wait there in MPI_Init
};

}  // namespace bowline::launcher

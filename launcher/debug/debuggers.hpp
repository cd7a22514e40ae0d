// SPDX-License-Identifier: BSD-3-Clause
// What the process of mpiexec that the user sees does for debuggers: it shows them the ranks, and runs gdb for those
// that the user has named.
#pragma once
#include <sys/types.h>

#include <optional>
#include <vector>

#include "launcher/debug/gdb.hpp"
#include "launcher/debug/process_table.hpp"
#include "launcher/job/job.hpp"

namespace bowline::launcher {

/// Made before the process that runs the job is forked. `job` must outlive it.
class Debuggers {
 public:
  /// Throws LaunchError.
  explicit Debuggers(const Job& job);
  ~Debuggers();
  Debuggers(const Debuggers&) = delete;
  Debuggers& operator=(const Debuggers&) = delete;

  /// In the process that runs the job: gives up the end of the gate that opens it.
  DebuggerAccess access();

  // ---- in the process that the user sees

  /// To be called when it can be read: show_news().
  int descriptor() const { return table_.descriptor(); }
  void show_news();
  /// To be called when a child may have ended.
  void note_end();
  /// The job has ended. Tells debuggers why, and waits until the user has left the gdb that runs in this terminal.
  void finish();

 private:
  void start_gdb();
  void open_gate();

  const Job& job_;
  ProcessTable table_;
  bool mpir_ = false;       ///< a debugger has started mpiexec
  int gate_[2] = {-1, -1};  ///< open while a rank may wait there
  pid_t in_terminal_ = -1;  ///< gdb
};

}  // namespace bowline::launcher

// SPDX-License-Identifier: BSD-3-Clause
// Passes what is typed at a terminal to rank 0. Any other standard input is simply inherited by rank 0.
#pragma once
#include <poll.h>

#include <string>

namespace bowline::launcher {

/// Reads the terminal only while this process is in its foreground and the rank has taken what was typed before, so
/// that a job in the background neither stops nor steals the shell's input. Belongs to the process the user sees.
class Terminal {
 public:
  /// Throws LaunchError.
  Terminal();
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  /// In the job's process: the end that rank 0 reads; the caller owns it.
  int release_reader();
  void close_reader();

  /// What to poll, and for how long at most; then forward() with what poll found there.
  pollfd wanted() const;
  int wait_ms() const;
  void forward(const pollfd& found);

 private:
  bool in_foreground() const;
  void read_typed();
  void write_typed();

  int terminal_;  ///< a file description of our own, which may be non-blocking
  int reader_, writer_;
  bool ended_ = false;
  std::string typed_;
};

}  // namespace bowline::launcher

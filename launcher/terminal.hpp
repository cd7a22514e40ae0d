// SPDX-License-Identifier: BSD-3-Clause
// Passes the input of a terminal to rank 0. Rank 0 inherits any other standard input.
#pragma once
#include <poll.h>

#include <string>

namespace bowline::launcher {

/// Reads the terminal only while this process is in its foreground and the rank has taken all earlier input, so that a
/// job in the background neither stops nor takes the shell's input. Belongs to the process that the user sees.
class Terminal {
 public:
  /// Throws LaunchError.
  Terminal();
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  /// Gives up the end of the pipe that rank 0 reads, for the job's process. The caller owns the descriptor.
  int release_reader();
  void close_reader();

  /// The descriptor to poll, and the longest time. Call forward() with the result of the poll.
  pollfd wanted() const;
  int wait_ms() const;
  void forward(const pollfd& found);

 private:
  bool in_foreground() const;
  void read_typed();
  void write_typed();

  int terminal_;  ///< an own file description, which may be non-blocking
  int reader_, writer_;
  bool ended_ = false;
  std::string typed_;
};

}  // namespace bowline::launcher

// SPDX-License-Identifier: BSD-3-Clause
// Starting one rank, and finding and ending whatever ranks have started.
#pragma once
#include <sys/types.h>

#include <string>
#include <vector>

namespace bowline::launcher {

/// Everything a rank's process needs; file descriptors stay the caller's.
struct ProcessSpec {
  std::string program;                 ///< path of the executable
  std::vector<std::string> arguments;  ///< argv, with the program's name as the user wrote it
  std::vector<std::string> environment;
  std::string wdir;  ///< empty: unchanged
  int stdin_fd, stdout_fd, stderr_fd;
  std::vector<unsigned long> cpu_mask;  ///< empty: unchanged
  int rank;
};

/// Forks and executes, in a process group of its own, killed by the kernel when this process's calling thread ends.
/// Throws LaunchError when the fork fails; a failed exec is told on the rank's stderr and exits with 126 or 127.
pid_t start_process(const ProcessSpec& spec);

/// Whether this process has any child, dead or alive; a subreaper without children has no descendants either.
bool has_children();

/// Whether a process has begun to end, or has ended and was not reaped.
bool is_ending(pid_t pid);

/// Sends a signal to every process below this one, grandchildren and those in other sessions too.
void signal_descendants(int signal);

/// Kills every descendant and reaps until none is left.
void end_descendants();

}  // namespace bowline::launcher

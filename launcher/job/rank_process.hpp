// SPDX-License-Identifier: BSD-3-Clause
// Starts a rank; finds and ends all processes that ranks have started.
#pragma once
#include <sys/resource.h>
#include <sys/types.h>

#include <string>
#include <vector>

namespace bowline::launcher {

/// Everything that a rank's process needs. The caller keeps the file descriptors.
struct ProcessSpec {
  std::string program;                 ///< path of the executable
  std::vector<std::string> arguments;  ///< argv, with the program's name as the user wrote it
  std::vector<std::string> environment;
  std::string wdir;  ///< empty: unchanged
  int stdin_fd, stdout_fd, stderr_fd;
  std::vector<int> kept_fds;            ///< all further descriptors that the program inherits, by these numbers
  std::vector<unsigned long> cpu_mask;  ///< empty: unchanged
  rlimit open_files;                    ///< its limit on open files
  int rank;
  int gate = -1;  ///< the process waits for a debugger until this is at its end of file; -1: it does not wait
};

/// Forks and executes a program in a process group of its own. The kernel kills it when the calling thread ends. Throws
/// LaunchError if the fork fails. If exec fails, the child writes a message to the rank's stderr and exits with 126 or
/// 127.
pid_t start_process(const ProcessSpec& spec);

/// The descriptors above stderr that this process hands on to the programs it executes, in rising order.
std::vector<int> inheritable_descriptors();

/// Whether this process has any child, dead or alive; a subreaper without children has no descendants either.
bool has_children();

/// Whether a process has begun to end, or has ended and was not reaped.
bool is_ending(pid_t pid);

/// Whether a signal or a debugger has stopped a process.
bool is_stopped(pid_t pid);

/// Whether a process that gets this signal goes on: it handles or ignores the signal.
bool survives(pid_t pid, int signal);

/// Sends a signal to every descendant of this process, including those in other sessions.
void signal_descendants(int signal);

/// The living descendants of this process that were started with the environment of a rank of this namespace. The ranks
/// themselves are among these processes once they run their program.
std::vector<pid_t> descendants_of(const std::string& name);

/// Kills every descendant and reaps until none is left.
void end_descendants();

}  // namespace bowline::launcher

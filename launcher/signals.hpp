// SPDX-License-Identifier: BSD-3-Clause
// The signals that mpiexec handles, and their names. It forwards all but SIGQUIT.
#pragma once
#include <signal.h>

#include <array>
#include <string>

namespace bowline::launcher {

inline constexpr std::array forwarded_signals = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT};

/// Whether a program that gets this signal is expected to end.
constexpr bool asks_to_end(int signal) {
  return signal == SIGINT || signal == SIGTERM || signal == SIGHUP;
}

/// Whether the user who sends this signal wants to know what the ranks wait for. Ctrl-\ on a terminal sends SIGQUIT.
constexpr bool asks_for_waits(int signal) {
  return signal == SIGQUIT || signal == SIGUSR1;
}

/// Blocks the forwarded signals and SIGCHLD for signalfd, except those that were ignored when mpiexec was started (as
/// nohup does), and returns the set of blocked signals. Blocks SIGPIPE, too, so that write() only returns an error.
sigset_t block_signals();

/// "11 (Segmentation fault)"
std::string describe_signal(int signal);

}  // namespace bowline::launcher

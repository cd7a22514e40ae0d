// SPDX-License-Identifier: BSD-3-Clause
// See gdb.hpp. The places: open_in_tmux() is in tmux.cpp.
#include "launcher/debug/gdb.hpp"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/library_folder.hpp"
#include "launcher/exec.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

/// A process in the background stops when it changes the terminal's foreground, unless it blocks the signal.
void become_foreground() {
  sigset_t set;
  sigset_t before;
  sigemptyset(&set);
  sigaddset(&set, SIGTTOU);
  sigprocmask(SIG_BLOCK, &set, &before);
  tcsetpgrp(STDIN_FILENO, getpgrp());
  sigprocmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace

GdbPlace choose_gdb_place(const std::string& what, std::size_t ranks) {
  if (!is_in_path("gdb"))
    throw UsageError("{}: there is no gdb in PATH; install it, or add its directory to PATH", what);
  if (ranks > most_debugged)
    throw UsageError("{}: these are {} ranks, and gdb takes at most {} at once; name fewer", what, ranks,
                     most_debugged);
  const bool has_tmux = is_in_path("tmux");
  const char* const around = std::getenv("TMUX");
  if (has_tmux && around != nullptr && *around != '\0') return GdbPlace::tmux_window;
  if (ranks == 1 && isatty(STDIN_FILENO) != 0) return GdbPlace::terminal;
  if (has_tmux) return GdbPlace::tmux_session;
  if (ranks == 1)
    throw UsageError("{}: gdb needs a terminal, and standard input is none; run it in a terminal, or install tmux",
                     what);
  throw UsageError("{}: these are {} ranks, and a terminal has room for gdb on one; install tmux, or name one rank",
                   what, ranks);
}

std::vector<std::string> gdb_command(const DebuggedRank& rank, bool from_start) {
  std::vector<std::string> command = {"gdb",  "-q",
                                      "-iex", "set print symbol-loading off",
                                      "-iex", "set pagination off",
                                      "-ex",  fmt::format("set prompt (rank {}) ", rank.rank)};
  // The commands for message queues (launcher/queue_library/gdb_commands.py).
  if (const std::string commands = companion_file("gdb_commands.py"); !commands.empty())
    command.insert(command.end(), {"-iex", "source " + commands});
  // The breakpoint is for the program that the process is about to run; the one it runs now need not have the function.
  if (from_start) command.insert(command.end(), {"-iex", "set breakpoint pending on"});
  command.insert(command.end(), {"-p", std::to_string(rank.process)});
  if (from_start)
    command.insert(command.end(), {"-ex", "tbreak main", "-ex", "set breakpoint pending auto", "-ex", "continue"});
  return command;
}

std::string session_notice(const std::string& session, std::span<const DebuggedRank> ranks) {
  return fmt::format(
      "gdb runs for {} in tmux; in a terminal: tmux attach -t {}",
      ranks.size() == 1 ? fmt::format("rank {}", ranks.front().rank) : fmt::format("{} ranks", ranks.size()), session);
}

pid_t start_in_terminal(const DebuggedRank& rank, bool from_start) {
  const std::vector<std::string> command = gdb_command(rank, from_start);
  const pid_t process = fork();
  if (process < 0) throw LaunchError("cannot start gdb for rank {}: fork: {}", rank.rank, strerror(errno));
  if (process > 0) return process;
  setpgid(0, 0);  // Ctrl-C is for gdb then, and not for mpiexec
  become_foreground();
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  try {
    exec_command(command, false);
  } catch (const LaunchError& error) {
    fmt::print(stderr, "mpiexec: {}\n", error.what());
  }
  _exit(status_launch_failed);
}

void take_terminal_back() {
  become_foreground();
}

}  // namespace bowline::launcher

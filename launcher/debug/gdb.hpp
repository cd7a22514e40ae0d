// SPDX-License-Identifier: BSD-3-Clause
// gdb for ranks: where it runs, and its command.
#pragma once
#include <sys/types.h>

#include <span>
#include <string>
#include <vector>

namespace bowline::launcher {

struct DebuggedRank {
  int rank;
  pid_t process;
};

enum class GdbPlace {
  terminal,      ///< this one
  tmux_window,   ///< a window of the tmux in which the user sits
  tmux_session,  ///< a session of its own, to which the user attaches from another terminal
};

/// A person cannot watch more.
inline constexpr std::size_t most_debugged = 32;

/// Where gdb can run for so many ranks. `what`: the option, for the sentence. Throws UsageError if there is no gdb, or
/// no place for it.
GdbPlace choose_gdb_place(const std::string& what, std::size_t ranks);

/// The command that attaches gdb to a rank. `from_start`: the process waits in await_debugger(), and gdb lets it run to
/// the main function of its program.
std::vector<std::string> gdb_command(const DebuggedRank& rank, bool from_start);

/// Runs gdb for each rank in a pane of one window, or in windows of their own where there is no room. Returns when they
/// are open. `session`: the name of the session, if it is a new one. Throws LaunchError.
void open_in_tmux(GdbPlace place, const std::string& session, std::span<const DebuggedRank> ranks, bool from_start);

/// The sentence that tells the user where a session of its own is.
std::string session_notice(const std::string& session, std::span<const DebuggedRank> ranks);

/// Runs gdb in this terminal's foreground; returns its process. Throws LaunchError.
pid_t start_in_terminal(const DebuggedRank& rank, bool from_start);
/// To be called when that process has ended.
void take_terminal_back();

}  // namespace bowline::launcher

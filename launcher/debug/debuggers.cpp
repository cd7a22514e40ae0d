// SPDX-License-Identifier: BSD-3-Clause
// See debuggers.hpp.
#include "launcher/debug/debuggers.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "launcher/debug/mpir.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {

Debuggers::Debuggers(const Job& job) : job_(job), table_(job), mpir_(MPIR_being_debugged != 0) {
  if ((mpir_ || !job.options.gdb_ranks.empty()) && pipe2(gate_, O_CLOEXEC) != 0)
    throw LaunchError("cannot start the job: {}", strerror(errno));
}

Debuggers::~Debuggers() {
  open_gate();
  if (gate_[0] >= 0) close(gate_[0]);
}

DebuggerAccess Debuggers::access() {
  open_gate();  // only this process's end of it
  return {.processes = &table_, .gate = gate_[0], .in_init = mpir_};
}

void Debuggers::open_gate() {
  if (gate_[1] >= 0) close(std::exchange(gate_[1], -1));
}

void Debuggers::show_news() {
  while (const auto news = table_.show_next()) {
    if (*news != ProcessTable::News::started) continue;
    if (mpir_) open_gate();  // the debugger holds those that it wants
    if (!job_.options.gdb_ranks.empty()) start_gdb();
  }
}

/// If gdb cannot be started, the ranks go on without it.
void Debuggers::start_gdb() {
  std::vector<DebuggedRank> ranks;
  for (const int rank : job_.options.gdb_ranks) ranks.push_back({.rank = rank, .process = table_.process_of(rank)});
  const std::string session = fmt::format("bowline-{}", getpid());
  try {
    const GdbPlace place = choose_gdb_place("--gdb", ranks.size());
    if (place == GdbPlace::terminal) {
      in_terminal_ = start_in_terminal(ranks.front(), true);
    } else {
      open_in_tmux(place, session, ranks, true);
      if (place == GdbPlace::tmux_session) fmt::print(stderr, "mpiexec: {}\n", session_notice(session, ranks));
    }
  } catch (const std::runtime_error& error) {
    fmt::print(stderr, "mpiexec: {}; the job goes on without gdb\n", error.what());
    open_gate();
  }
}

void Debuggers::note_end() {
  if (in_terminal_ < 0 || waitpid(in_terminal_, nullptr, WNOHANG) != in_terminal_) return;
  in_terminal_ = -1;
  take_terminal_back();
  open_gate();  // for a rank to which gdb could not attach
}

void Debuggers::finish() {
  while (table_.show_next()) {
  }
  if (in_terminal_ < 0) return;
  while (waitpid(in_terminal_, nullptr, 0) < 0 && errno == EINTR) {
  }
  in_terminal_ = -1;
  take_terminal_back();
}

}  // namespace bowline::launcher

// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/jobs/process_end.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "base/waits/wait_board.hpp"
#include "runtime/runtime.hpp"

namespace bowline::runtime {
namespace {

// How long the launcher may take to see the end of a process; usually it takes less than a millisecond.
constexpr std::chrono::seconds launcher_patience{1};
constexpr std::chrono::milliseconds between_glances{1};

}  // namespace

bool told_lost(int rank) noexcept {
  const auto end = ShownWait::end_of(rank);
  return end.has_value() && end->lost;
}

std::string loss_in_words(int rank) {
  const auto end = ShownWait::end_of(rank);
  if (!end.has_value() || !end->lost) return {};
  if (WIFSIGNALED(end->status)) {
    const char* const name = sigdescr_np(WTERMSIG(end->status));
    return fmt::format("was killed by signal {} ({})", WTERMSIG(end->status), name == nullptr ? "unnamed" : name);
  }
  return fmt::format("exited with status {} without MPI_Finalize", WEXITSTATUS(end->status));
}

/// Of a job that does not go on without lost ranks nobody is left to ask.
bool has_ended_properly(int rank) noexcept {
  if (!this_process().keeps_going()) return true;
  const auto begin = std::chrono::steady_clock::now();
  while (rank >= 0 && ShownWait::board_joined()) {
    if (const auto end = ShownWait::end_of(rank)) return !end->lost;
    if (std::chrono::steady_clock::now() - begin > launcher_patience) break;
    std::this_thread::sleep_for(between_glances);
  }
  return false;
}

}  // namespace bowline::runtime

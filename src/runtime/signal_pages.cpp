// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/signal_pages.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "base/diagnosis/asked_page.hpp"
#include "base/diagnosis/crash_page.hpp"
#include "base/diagnosis/stack_page.hpp"
#include "base/waits/wait_board.hpp"

namespace bowline::runtime {
namespace {

/// Of a larger job about this many ranks answer, evenly spread: nobody reads thousands of stacks.
constexpr int most_answers = 64;

}  // namespace

void show_stacks_on_signals(const wireup::Identity& identity, std::string_view host) {
  if (!prepare_stack_pages(fmt::format("rank {} on {}", identity.rank, host))) return;
  show_crashes();
  if (ShownWait::board_joined() || identity.size == 1) return;
  const int ranks_for_an_answer = (identity.size + most_answers - 1) / most_answers;
  show_when_asked({.sigterm = std::getenv("SLURM_STEP_ID") != nullptr,
                   .sigusr1 = true,
                   .answers = identity.rank % ranks_for_an_answer == 0});
}

}  // namespace bowline::runtime

// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/hang/hang_judge.hpp"

#include <chrono>
#include <exception>

#include "base/log.hpp"
#include "base/waits/hang_tunables.hpp"
#include "base/waits/wait_board.hpp"
#include "proto/engine.hpp"

namespace bowline::runtime {

HangJudge::HangJudge(proto::Engine& engine, int rank, const std::string& host)
    : engine_(engine), survey_(engine, rank, host), search_(engine, rank, host) {
  engine.services().add(survey_);
  engine.services().add(search_);
}

void HangJudge::begin() noexcept {
  if (!ShownWait::board_joined() && hang.value() != "off") proto::LongWait::watch_by(this);
}

/// The thread may wait in another lane.
void HangJudge::looked(proto::Engine& lane) noexcept {
  OwnerLock& lock = engine_.lock();
  if (&lane == &engine_) {
    lock.acquire();
  } else if (!lock.try_acquire()) {
    return;
  }
  try {
    const WaitSlot::Line line = ShownWait::line();
    const auto now = std::chrono::steady_clock::now();
    survey_.look(line, now);
    search_.look(line, now);
  } catch (const std::exception& error) {  // the next look tries again
    log::info("the ranks are not asked yet what they wait for: {}", error.what());
  }
  lock.release();
}

}  // namespace bowline::runtime

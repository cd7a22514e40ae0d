// SPDX-License-Identifier: BSD-3-Clause
// Notices that most ranks of a job have waited for long for a few that do not wait: a suspicion, which ends nothing,
// because these few may compute.
#pragma once
#include <chrono>
#include <span>
#include <vector>

#include "launcher/hang/wait_report.hpp"

namespace bowline::launcher {

class StragglerWatch {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr int factor = 10;

  /// `after`: how long the others must have waited the first time; `factor` times as long the second time, and so on.
  explicit StragglerWatch(Clock::duration after) noexcept : after_(after) {}

  /// The ranks for which all others wait, if the user should be told; else none. To be called from time to time, with
  /// all ranks of the job.
  std::vector<int> look(std::span<const RankView> ranks, Clock::time_point now);
  /// How long the others had waited, at least, when look() last named ranks.
  Clock::duration told() const noexcept { return told_; }

 private:
  Clock::duration after_;
  Clock::duration told_{};
};

}  // namespace bowline::launcher

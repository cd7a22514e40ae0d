// SPDX-License-Identifier: BSD-3-Clause
// See straggler_watch.hpp.
#include "launcher/hang/straggler_watch.hpp"

#include <cstddef>

namespace bowline::launcher {

std::vector<int> StragglerWatch::look(std::span<const RankView> ranks, Clock::time_point now) {
  std::vector<int> stragglers;
  std::size_t waiting = 0;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const RankView& view = ranks[rank];
    if (view.stage == RankStage::ended) continue;
    if (!is_waiting(view)) {
      stragglers.push_back(static_cast<int>(rank));
      continue;
    }
    if (now - Clock::time_point(std::chrono::nanoseconds(view.line.since)) < after_) return {};
    ++waiting;
  }
  if (stragglers.empty() || stragglers.size() > waiting) return {};
  told_ = after_;
  after_ *= factor;
  return stragglers;
}

}  // namespace bowline::launcher

// SPDX-License-Identifier: BSD-3-Clause
// See hang_watch.hpp.
#include "launcher/hang/hang_watch.hpp"

#include <algorithm>

namespace bowline::launcher {
namespace {

constexpr std::uint32_t version_of_two_lines = 4;  // a version grows by 2 with each line

/// Whether only ranks of this job can end the wait.
bool is_for_ranks(const RankView& rank, std::size_t ranks) {
  return is_waiting(rank) && rank.line.targets.only_of_job(static_cast<int>(ranks));
}

}  // namespace

/// Whether the ranks have received all that they have sent; their activity is the same as at the first look.
bool HangWatch::no_message_travels(std::span<const Seen> ranks) {
  std::uint64_t sent = 0, delivered = 0;
  for (const Seen& rank : ranks) {
    sent += rank.activity.sent;
    delivered += rank.activity.delivered;
  }
  return sent == delivered;
}

/// Empty if a rank does something, or may do something.
std::vector<HangWatch::Seen> HangWatch::first_look(std::span<const RankView> ranks, Clock::time_point now) const {
  std::vector<Seen> seen;
  for (const RankView& rank : ranks) {
    if (rank.stage == RankStage::ended) {
      seen.push_back({.has_ended = true});
      continue;
    }
    const Clock::time_point since{std::chrono::nanoseconds(rank.line.since)};
    if (!is_for_ranks(rank, ranks.size()) || now - since < after_) return {};
    seen.push_back({.since = rank.line.since, .activity = rank.line.activity, .version = rank.line.version});
  }
  const bool all_have_ended = std::ranges::all_of(seen, [](const Seen& each) { return each.has_ended; });
  return all_have_ended ? std::vector<Seen>() : seen;
}

bool HangWatch::look(std::span<const RankView> ranks, Clock::time_point now) {
  std::vector<Seen> now_seen = first_look(ranks, now);
  const auto is_same = [](const Seen& before, const Seen& after) {
    return before.has_ended == after.has_ended && before.since == after.since && before.activity == after.activity;
  };
  if (now_seen.empty() || !std::ranges::equal(seen_, now_seen, is_same)) {
    seen_ = std::move(now_seen);
    return false;
  }
  const auto has_looked_again = [](const Seen& before, const Seen& after) {
    return before.has_ended || after.version - before.version >= version_of_two_lines;
  };
  return no_message_travels(now_seen) && std::ranges::equal(seen_, now_seen, has_looked_again);
}

}  // namespace bowline::launcher

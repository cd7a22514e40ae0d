// SPDX-License-Identifier: BSD-3-Clause
// See wait_report.hpp.
#include "launcher/hang/wait_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/diagnosis/source_lines.hpp"
#include "base/waits/wait_cycle.hpp"

namespace bowline::launcher {
namespace {

using Clock = std::chrono::steady_clock;

/// Without the duration of the wait, in which ranks of a group differ.
std::string words_for(const RankView& rank) {
  if (rank.stage == RankStage::unstarted) return "has not been started";
  if (rank.stage == RankStage::ended) return rank.lost ? "lost" : "has ended";
  if (rank.stage == RankStage::finalized) return "has called MPI_Finalize";
  switch (rank.line.state) {
    case WaitSlot::State::waiting:
      return rank.place.empty() ? rank.line.text : fmt::format("{} ({})", rank.line.text, rank.place);
    case WaitSlot::State::idle:
      return "not waiting in MPI";
    case WaitSlot::State::unreadable:
      return "stopped while it wrote what it waits for";
    case WaitSlot::State::unused:
      break;
  }
  return rank.stage == RankStage::initialized ? "does not say what it waits for" : "has not called MPI_Init";
}

/// The rank for which this rank waits in any case; negative if that is not known, or if there are several.
int awaited_by(const RankView& rank) {
  return is_waiting(rank) ? rank.line.targets.indispensable() : -1;
}

}  // namespace

bool is_waiting(const RankView& rank) {
  const bool runs = rank.stage == RankStage::started || rank.stage == RankStage::initialized;
  return runs && rank.line.state == WaitSlot::State::waiting;
}

void add_places(std::span<RankView> ranks) {
  std::vector<CodeAddress> addresses;
  addresses.reserve(ranks.size());
  for (const RankView& rank : ranks)
    addresses.push_back({rank.line.process, is_waiting(rank) ? rank.line.returns_to : 0});
  std::vector<std::string> places = source_lines(addresses);
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) ranks[rank].place = std::move(places[rank]);
}

std::vector<std::string> describe_waits(std::span<const RankView> ranks, const std::string& host, Clock::time_point now,
                                        std::span<const int> numbers) {
  WaitGroups groups;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const std::string words =
        (ranks[rank].stopped ? "stopped by a signal or a debugger, " : "") + words_for(ranks[rank]);
    const int number = numbers.empty() ? static_cast<int>(rank) : numbers[rank];
    if (is_waiting(ranks[rank])) {
      const Clock::time_point since{std::chrono::nanoseconds(ranks[rank].line.since)};
      const double seconds = std::max(0.0, std::chrono::duration<double>(now - since).count());
      groups.add(words, true, {.ranks = {number}, .host = host, .shortest = seconds, .longest = seconds});
    } else {
      groups.add(words, false, {.ranks = {number}, .host = host});
    }
  }
  return groups.lines();
}

std::string describe_cycle(std::span<const RankView> ranks) {
  const auto at = [&](int rank) -> const RankView& { return ranks[static_cast<std::size_t>(rank)]; };
  return wait_cycle_in_words({.ranks = static_cast<int>(ranks.size()),
                              .awaited = [&](int rank) { return awaited_by(at(rank)); },
                              .ended = [&](int rank) { return at(rank).stage == RankStage::ended; }});
}

}  // namespace bowline::launcher

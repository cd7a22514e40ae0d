// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/hang/survey_page.hpp"

#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>

#include "base/waits/wait_cycle.hpp"
#include "runtime/settings.hpp"

namespace bowline::runtime {
namespace {

/// The cycle in words; empty if there is none among the ranks that are listed.
std::string cycle_among(const WaitGroups& groups, int ranks) {
  std::unordered_map<int, int> awaited;
  std::unordered_set<int> ended;
  groups.for_each([&](const std::string& words, bool wait, const WaitGroups::Group& group) {
    for (const int rank : group.ranks) {
      if (wait && group.awaited >= 0) awaited.emplace(rank, group.awaited);
      if (!wait && words == has_ended) ended.insert(rank);
    }
  });
  const auto awaited_by = [&](int rank) {
    const auto found = awaited.find(rank);
    return found == awaited.end() ? -1 : found->second;
  };
  return wait_cycle_in_words(
      {.ranks = ranks, .awaited = awaited_by, .ended = [&](int rank) { return ended.contains(rank); }});
}

bool relies_on_buffering(const WaitGroups& groups) {
  bool relies = false;
  groups.for_each([&](const std::string& words, bool wait, const WaitGroups::Group&) {
    relies = relies || (checks().buffering && wait && waits_for_send(words));
  });
  return relies;
}

}  // namespace

std::string deadlock_page(const WaitGroups& groups, int ranks, std::uint32_t left_out, bool ends) {
  std::string page = fmt::format(
      "bowline: deadlock: every rank of the job waits in MPI for what cannot happen any more, since nobody else is "
      "left to act and no message is under way{}{}\n",
      relies_on_buffering(groups) ? "; BOWLINE_CHECK lets standard sends wait until they are received" : "",
      ends ? "; the job is ended (BOWLINE_HANG=report lets it go on)" : "");
  if (const std::string cycle = cycle_among(groups, ranks); !cycle.empty()) page += fmt::format("bowline: {}\n", cycle);
  for (const std::string& line : groups.lines()) page += fmt::format("bowline: {}\n", line);
  if (left_out > 0) page += fmt::format("bowline: {} other ranks in other calls\n", left_out);
  return page;
}

}  // namespace bowline::runtime

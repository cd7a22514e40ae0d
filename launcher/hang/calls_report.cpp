// SPDX-License-Identifier: BSD-3-Clause
// See calls_report.hpp.
#include "launcher/hang/calls_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>

#include "launcher/hang/wait_report.hpp"

namespace bowline::launcher {

std::vector<std::string> describe_different_calls(std::span<const std::optional<WaitSlot::CallsMade>> ranks,
                                                  const std::string& host) {
  std::map<std::uint64_t, std::vector<int>> by_digest;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    if (ranks[rank]) by_digest[ranks[rank]->digest].push_back(static_cast<int>(rank));
  }
  if (by_digest.size() < 2) return {};
  std::vector<std::vector<int>> groups;
  groups.reserve(by_digest.size());
  for (auto& [digest, group] : by_digest) groups.push_back(std::move(group));
  std::ranges::sort(groups, {}, [](const std::vector<int>& group) { return std::pair(group.size(), group.front()); });
  constexpr std::size_t most_lines = 10;
  std::vector<std::string> lines;
  for (const std::vector<int>& group : groups) {
    if (lines.size() == most_lines) {
      lines.push_back(
          fmt::format("and {} further groups of ranks that have called others", groups.size() - most_lines));
      break;
    }
    lines.push_back(fmt::format("{} on {}: {} called {}", name_ranks(group), host, group.size() == 1 ? "has" : "have",
                                ranks[static_cast<std::size_t>(group.front())]->words));
  }
  return lines;
}

}  // namespace bowline::launcher

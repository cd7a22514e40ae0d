// SPDX-License-Identifier: BSD-3-Clause
#include "base/waits/wait_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace bowline {
namespace {

constexpr std::size_t most_lines = 40;

std::string describe(const std::string& words, bool waits, const WaitGroups::Group& group) {
  std::string line = fmt::format("{}{}{}{}: {}", name_ranks(group.ranks),
                                 group.others > 0 ? fmt::format(" and {} others", group.others) : "",
                                 group.host.empty() ? "" : " on ", group.host, words);
  if (!waits) return line;
  const std::string shortest = fmt::format("{:.1f}", group.shortest), longest = fmt::format("{:.1f}", group.longest);
  return line + (shortest == longest ? fmt::format(", for {} s", longest)
                                     : fmt::format(", for {} to {} s", shortest, longest));
}

}  // namespace

std::string name_ranks(std::span<const int> ranks) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t end = i + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) ++end;
    if (end - i > 2) {
      parts.push_back(fmt::format("{} to {}", ranks[i], ranks[end - 1]));
    } else {
      for (std::size_t each = i; each < end; ++each) parts.push_back(fmt::format("{}", ranks[each]));
    }
    i = end;
  }
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return text;
}

void WaitGroups::add(std::string_view words, bool wait, const Group& group) {
  const auto [place, is_new] = groups_.try_emplace(Key(words, wait), group);
  if (is_new) return;
  Group& joined = place->second;
  std::vector<int> ranks;
  ranks.reserve(joined.ranks.size() + group.ranks.size());
  std::ranges::merge(joined.ranks, group.ranks, std::back_inserter(ranks));
  joined.ranks = std::move(ranks);
  joined.others += group.others;
  if (joined.host != group.host) joined.host.clear();
  if (joined.awaited != group.awaited) joined.awaited = -1;
  joined.shortest = std::min(joined.shortest, group.shortest);
  joined.longest = std::max(joined.longest, group.longest);
}

std::vector<std::string> WaitGroups::lines() const {
  std::vector<std::pair<Key, Group>> order(groups_.begin(), groups_.end());
  std::ranges::sort(order, {},
                    [](const auto& each) { return std::pair(each.second.count(), each.second.ranks.front()); });
  std::vector<std::string> lines;
  int left_out = 0;
  for (const auto& [key, group] : order) {
    if (lines.size() < most_lines) {
      lines.push_back(describe(key.first, key.second, group));
    } else {
      left_out += group.count();
    }
  }
  if (left_out > 0)
    lines.push_back(fmt::format("{} other ranks in {} other calls", left_out, order.size() - most_lines));
  return lines;
}

}  // namespace bowline

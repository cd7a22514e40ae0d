// SPDX-License-Identifier: BSD-3-Clause
#include "wireup/rendezvous/roll.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

namespace bowline::wireup {

/// Looks at all characters, so that the time does not tell how many are right.
bool Roll::knows_secret(const Arrival& arrival) const noexcept {
  if (arrival.secret.size() != line_.secret.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < arrival.secret.size(); ++i)
    difference |= static_cast<unsigned char>(arrival.secret[i] ^ line_.secret[i]);
  return difference == 0;
}

std::string Roll::objection_to(const Arrival& arrival) const {
  constexpr const char* advice = "give all processes the same line, as bowline-rendezvous prints it";
  if (arrival.version != version_) {
    return fmt::format("this process runs version {} of Bowline, and the one that serves {}: use one version",
                       arrival.version, version_);
  }
  if (!knows_secret(arrival))
    return fmt::format("the secret of this process is another one than that of the process that serves: {}", advice);
  if (arrival.size != line_.size) {
    return fmt::format("this process waits for a world of size {}, and the one that serves for size {}: {}",
                       arrival.size, line_.size, advice);
  }
  if (arrival.wanted >= line_.size)
    return fmt::format("this process wants rank {}, which must be 0 to {}", arrival.wanted, line_.size - 1);
  const auto same = std::ranges::find_if(
      entries_, [&](const Entry& each) { return arrival.wanted >= 0 && each.arrival.wanted == arrival.wanted; });
  if (same == entries_.end()) return {};
  return fmt::format("this process wants rank {}, which {} has: give each process a rank of its own, or none",
                     arrival.wanted, same->arrival.text());
}

std::vector<Roll::Entry> Roll::by_rank() const {
  std::vector<std::optional<Entry>> seats(entries_.size());
  std::map<int, std::vector<Entry>> others;  // by node, in the order in which the nodes' first processes have come
  const std::vector<int> nodes = number_nodes(entries_);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].arrival.wanted >= 0) {
      seats[static_cast<std::size_t>(entries_[i].arrival.wanted)] = entries_[i];
    } else {
      others[nodes[i]].push_back(entries_[i]);
    }
  }
  auto seat = seats.begin();
  for (const auto& [node, members] : others) {
    for (const Entry& each : members) {
      while (seat->has_value()) ++seat;
      *seat = each;
    }
  }
  std::vector<Entry> ordered;
  ordered.reserve(seats.size());
  for (std::optional<Entry>& each : seats) ordered.push_back(*std::move(each));
  return ordered;
}

std::vector<int> number_nodes(const std::vector<Roll::Entry>& entries) {
  std::map<std::uint64_t, int> known;
  std::vector<int> numbers;
  numbers.reserve(entries.size());
  for (const Roll::Entry& each : entries)
    numbers.push_back(known.try_emplace(each.arrival.node, static_cast<int>(known.size())).first->second);
  return numbers;
}

}  // namespace bowline::wireup

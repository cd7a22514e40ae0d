// SPDX-License-Identifier: BSD-3-Clause
// Roll: the processes that have come to a rendezvous, until the world is complete and each gets its rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "wireup/rendezvous/line.hpp"
#include "wireup/rendezvous/messages.hpp"

namespace bowline::wireup {

class Roll {
 public:
  struct Entry {
    int guest;  ///< the number of the process's connection
    Arrival arrival;
  };

  Roll(const RendezvousLine& line, std::string version) : line_(line), version_(std::move(version)) {}

  /// Why this process may not join, a sentence; empty if it may.
  std::string objection_to(const Arrival& arrival) const;
  bool knows_secret(const Arrival& arrival) const noexcept;
  void add(int guest, const Arrival& arrival) { entries_.push_back({guest, arrival}); }
  void remove(int guest) {
    std::erase_if(entries_, [guest](const Entry& each) { return each.guest == guest; });
  }
  const std::vector<Entry>& entries() const noexcept { return entries_; }
  bool complete() const noexcept { return entries_.size() == static_cast<std::size_t>(line_.size); }
  /// The processes by rank: those that want a rank have it, the others get the free ranks in ascending order, those of
  /// one node one after the other. The roll must be complete.
  std::vector<Entry> by_rank() const;

 private:
  RendezvousLine line_;
  std::string version_;
  std::vector<Entry> entries_;
};

/// The number of the node of each, from 0, in the order in which the nodes appear.
std::vector<int> number_nodes(const std::vector<Roll::Entry>& entries);

}  // namespace bowline::wireup

// SPDX-License-Identifier: BSD-3-Clause
// Network: the links between nodes. Each link carries one message at a time.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "simulator/cluster.hpp"

namespace bowline::sim {

/// Simulated time in picoseconds, from the begin of the operation.
using Time = std::uint64_t;

inline Time picoseconds(double nanoseconds) noexcept {
  return static_cast<Time>(nanoseconds * 1000 + 0.5);
}

/// What the links of one kind have carried.
struct LinkLoad {
  std::uint32_t links = 0;          ///< how many have carried any
  std::uint32_t most_messages = 0;  ///< over one link
  double busiest = 0;               ///< nanoseconds that one link was occupied at most
};

/// Routes are fixed: in a fat tree the destination determines the uplink and the source the downlink (D-mod-k routing,
/// E. Zahavi, "Fat-tree routing and node ordering providing contention free traffic", 2012); in a dragonfly messages
/// take the shortest way, over the one link between two groups.
class Network {
 public:
  enum class Kind : std::uint8_t { adapter_out, adapter_in, leaf_up, leaf_down, group_up, group_down, local, global };
  static constexpr int kinds = 8;

  explicit Network(const Cluster& cluster);

  /// When the tail of a message that leaves at `time` has left the sender's adapter, and has passed the last link.
  struct Passage {
    Time left;
    Time passed;
  };
  /// Messages must be given in the order of their times.
  Passage carry(Time time, int from_node, int to_node, std::size_t bytes);

  LinkLoad load(Kind kind) const;

 private:
  struct Link {
    Time free = 0;
    Time occupied = 0;
    std::uint32_t messages = 0;
  };
  struct Route {
    std::array<std::pair<Kind, std::uint32_t>, 6> hops;
    unsigned length = 0;
    void add(Kind kind, int link) { hops[length++] = {kind, static_cast<std::uint32_t>(link)}; }
  };
  Route route(int from, int to) const;
  void add_fat_tree(Route& route, int from, int to) const;
  void add_dragonfly(Route& route, int from, int to) const;
  std::vector<Link>& of(Kind kind) noexcept { return links_[static_cast<std::size_t>(kind)]; }
  const Costs& costs(Kind kind) const noexcept;

  const Cluster& cluster_;
  std::array<std::vector<Link>, kinds> links_;
};

}  // namespace bowline::sim

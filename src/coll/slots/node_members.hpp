// SPDX-License-Identifier: BSD-3-Clause
// NodeMembers: those members of a team that run on this process's node. They have shared memory of their own, which
// their stages of composed algorithms use.
#pragma once

#include <vector>

#include "coll/channel/rank_map.hpp"
#include "coll/channel/subchannel.hpp"
#include "coll/slots/team_slots.hpp"
#include "proto/engine.hpp"

namespace bowline::coll {

class NodeMembers {
 public:
  /// `members` are their places in the team, whose ranks `team` maps; this process is number `rank` of the members.
  NodeMembers(proto::Engine& engine, std::uint32_t context, const RankMap& team, const Members& members, int rank)
      : members_(members),
        rank_(rank),
        world_(processes(team, members)),
        slots_(engine, context, {.table = world_.data()}, rank, members.count) {}
  NodeMembers(const NodeMembers&) = delete;
  NodeMembers& operator=(const NodeMembers&) = delete;

  /// A channel of these members.
  SubChannel channel(Channel& team) const noexcept { return {team, members_, rank_}; }
  TeamSlots& slots() noexcept { return slots_; }

 private:
  static std::vector<int> processes(const RankMap& team, const Members& members) {
    std::vector<int> ranks;
    ranks.reserve(static_cast<std::size_t>(members.count));
    for (int i = 0; i < members.count; ++i) ranks.push_back(team.process(members[i]));
    return ranks;
  }

  Members members_;
  int rank_;
  std::vector<int> world_;
  TeamSlots slots_;
};

}  // namespace bowline::coll

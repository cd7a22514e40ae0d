// SPDX-License-Identifier: BSD-3-Clause
// What the members of a team tell each other about the switches above their nodes. A launcher tells a process of those
// above its own node only; to ask for every other one would cost each process a question for each node of the job.
#pragma once

#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/task.hpp"
#include "coll/channel.hpp"
#include "coll/machine/hierarchy.hpp"
#include "coll/machine/machine.hpp"

namespace bowline::coll {

struct Team;

/// A machine, and the switches above some of its nodes. The machine must outlive it.
class ToldMachine final : public Machine {
 public:
  /// `switches`: one for each of `nodes`, which are numbers of units of the machine.
  ToldMachine(const Machine& machine, std::span<const int> nodes, std::span<const Switches> switches);

  int unit(Level level, int world_rank) const override;

 private:
  const Machine& machine_;
  std::unordered_map<int, std::pair<int, int>> switches_;  ///< by node: numbers of leaf and group; -1: not known
};

/// One member of each node tells those of the others, and then those of its own node. `nodes`: the members by nodes.
/// `all`: room for each node, in the order of the hierarchy's last stage; that of this member's node is filled in.
Task tell_switches(Channel& channel, const Hierarchy& nodes, std::span<Switches> all);

/// Run by all members of a team that has not been told of the switches yet, as a collective operation of its own.
void tell_switches(Team& team);

}  // namespace bowline::coll

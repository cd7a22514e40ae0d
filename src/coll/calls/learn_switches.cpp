// SPDX-License-Identifier: BSD-3-Clause
#include "coll/calls/learn_switches.hpp"

#include <cstddef>
#include <vector>

#include "coll/calls/drive.hpp"
#include "coll/machine/switch_topology.hpp"

namespace bowline::coll {

void learn_switches(Team& team) {
  const Machine& machine = *team.machine;
  const Hierarchy by_nodes(machine, team.size, [&](int member) { return team.ranks.process(member); });
  const Stage leaders = by_nodes.stage(by_nodes.stages() - 1, team.rank, 0);
  std::vector<Switches> all(static_cast<std::size_t>(leaders.members.count));
  if (leaders.taken_part_in()) all[static_cast<std::size_t>(leaders.rank)] = *machine.switches_here();
  drive(team, team.blocking.next_tag(), team.next_id({Operation::allgather, CallForm::internal}),
        [&](Channel& channel) { return exchange_switches(channel, by_nodes, all); });
  std::vector<int> nodes(all.size());
  for (int i = 0; i < leaders.members.count; ++i)
    nodes[static_cast<std::size_t>(i)] = machine.unit(Level::node, team.ranks.process(leaders.members[i]));
  team.learn(SwitchTopology(machine, nodes, all));
}

}  // namespace bowline::coll

// SPDX-License-Identifier: BSD-3-Clause
#include "coll/team.hpp"

#include <utility>

namespace bowline::coll {

Division* Team::divided() {
  if (division != nullptr || machine == nullptr) return division.get();
  Hierarchy hierarchy(*machine, size, [this](int member) { return ranks.world(member); });
  division.reset(new Division{std::move(hierarchy), nullptr});
  // Only if the node is the narrowest hardware that is known: then all members on it meet in the first stage.
  const Hierarchy& made = division->hierarchy;
  if (made.level(0) == Level::node) {
    const Stage here = made.stage(0, rank, rank);
    if (here.members.count > 1 && here.members.count <= SlotMemory::max_members) {
      division->node = std::make_unique<NodeMembers>(engine, ranks, here.members, here.rank);
    }
  }
  return division.get();
}

}  // namespace bowline::coll

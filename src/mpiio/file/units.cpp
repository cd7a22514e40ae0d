// SPDX-License-Identifier: BSD-3-Clause
#include "mpiio/file/units.hpp"

#include <algorithm>

#include "coll/machine/machine.hpp"

namespace bowline::mpiio {

Units Units::by_node(const coll::Team& team) {
  Units units(team.size);
  if (team.machine == nullptr) return units;
  const auto node_of = [&](int member) { return team.machine->unit(coll::Level::node, team.ranks.process(member)); };
  for (int member = 0; member < team.size; ++member) {
    if (node_of(member) < 0) return units;
  }
  units.nodes_.emplace(coll::Level::node, team.size, 1, node_of, [](int member) { return member; });
  return units;
}

Units Units::in_groups(int processes, int each) {
  Units units(processes);
  units.nodes_.emplace(
      coll::Level::node, processes, 1, [each](int member) { return member / each; }, [](int member) { return member; });
  return units;
}

int Units::smallest() const noexcept {
  int least = processes_;
  for (int unit = 0; unit < count(); ++unit) least = std::min(least, size(unit));
  return least;
}

}  // namespace bowline::mpiio

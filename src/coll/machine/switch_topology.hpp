// SPDX-License-Identifier: BSD-3-Clause
// The exchange of switches among the members of a team. A launcher tells a process only the switches above its own
// node. Asking for all others would cost each process one question per node of the job.
#pragma once

#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/task.hpp"
#include "coll/channel/channel.hpp"
#include "coll/machine/hierarchy.hpp"
#include "coll/machine/machine.hpp"

namespace bowline::coll {

/// A machine, and the switches above some of its nodes. The machine must outlive this object.
class SwitchTopology final : public Machine {
 public:
  /// `switches`: one for each of `nodes`, which are numbers of units of the machine.
  SwitchTopology(const Machine& machine, std::span<const int> nodes, std::span<const Switches> switches);

  int unit(Level level, int process) const override;

 private:
  const Machine& machine_;
  std::unordered_map<int, std::pair<int, int>> switches_;  ///< by node: numbers of leaf and group; -1: not known
};

/// One member of each node exchanges switches with the other nodes and then passes them on within its node. `nodes`:
/// the members by nodes. `all`: an entry for each node, in the order of the hierarchy's last stage; the caller fills in
/// that of its own node.
Task exchange_switches(Channel& channel, const Hierarchy& nodes, std::span<Switches> all);

}  // namespace bowline::coll

// SPDX-License-Identifier: BSD-3-Clause
#include "coll/machine/switch_topology.hpp"

#include <cstddef>
#include <cstdint>

#include "coll/channel/agreement.hpp"
#include "coll/channel/subchannel.hpp"

namespace bowline::coll {
namespace {

/// Numbers names in the order of their first appearance; the name 0 has no number.
class Numbers {
 public:
  int of(std::uint64_t name) {
    if (name == 0) return -1;
    return numbers_.try_emplace(name, static_cast<int>(numbers_.size())).first->second;
  }

 private:
  std::unordered_map<std::uint64_t, int> numbers_;
};

}  // namespace

SwitchTopology::SwitchTopology(const Machine& machine, std::span<const int> nodes, std::span<const Switches> switches)
    : machine_(machine) {
  Numbers leaves;
  Numbers groups;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    switches_.emplace(nodes[i], std::pair(leaves.of(switches[i].leaf), groups.of(switches[i].group)));
}

int SwitchTopology::unit(Level level, int process) const {
  if (level != Level::leaf_switch && level != Level::switch_group) return machine_.unit(level, process);
  const auto found = switches_.find(machine_.unit(Level::node, process));
  if (found == switches_.end()) return -1;
  return level == Level::leaf_switch ? found->second.first : found->second.second;
}

Task exchange_switches(Channel& channel, const Hierarchy& nodes, std::span<Switches> all) {
  const std::span<std::byte> bytes = std::as_writable_bytes(all);
  const Stage leaders = nodes.stage(nodes.stages() - 1, channel.rank(), 0);
  if (leaders.taken_part_in()) {
    const Blocks blocks(bytes.data(), sizeof(Switches));
    const Arguments arguments{.input = blocks[leaders.rank], .receive = blocks};
    SubChannel part(channel, leaders.members, leaders.rank);
    Task gathered = allgather_bruck(part, arguments);
    co_await gathered;
  }
  if (nodes.stages() == 1) co_return;
  const Stage node = nodes.stage(0, channel.rank(), 0);
  const Arguments arguments{.root = node.top, .result = bytes};
  SubChannel part(channel, node.members, node.rank);
  Task spread = bcast_binomial(part, arguments);
  co_await spread;
}

}  // namespace bowline::coll

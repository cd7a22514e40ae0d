// SPDX-License-Identifier: BSD-3-Clause
#include "api/machine.hpp"

namespace bowline::api {

const std::string& JobMachine::switches_of(int world_rank) const {
  const int node = wireup_.node_of(world_rank);
  const auto known = switches_.find(node);
  return known != switches_.end() ? known->second
                                  : switches_.emplace(node, wireup_.switches_of(world_rank)).first->second;
}

int JobMachine::unit(coll::Level level, int world_rank) const {
  const std::lock_guard hold(mutex_);
  if (level == coll::Level::node) return wireup_.node_of(world_rank);
  if (level != coll::Level::leaf_switch && level != coll::Level::switch_group) return -1;
  // "s0.s2": the node's own switch comes last. Those under the same one above it are a group.
  std::string switches = switches_of(world_rank);
  if (level == coll::Level::switch_group) switches.erase(switches.find_last_of('.') + 1);
  if (switches.empty()) return -1;
  return numbers_.try_emplace(std::move(switches), static_cast<int>(numbers_.size())).first->second;
}

}  // namespace bowline::api

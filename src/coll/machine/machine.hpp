// SPDX-License-Identifier: BSD-3-Clause
// Machine: where the processes of a job run, as far as collectives need it. The runtime describes it once for the job;
// the simulator describes simulated machines.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace bowline::coll {

/// Kinds of hardware units that processes can share, from the narrowest to the widest, which contains all processes. A
/// unit lies within one unit of each wider level.
enum class Level : std::uint8_t {
  cache,         ///< a last-level cache
  socket,        ///< a socket, or a NUMA node if there are several in one
  node,          ///< shared memory
  leaf_switch,   ///< a switch to which nodes are connected
  switch_group,  ///< a pod of a fat tree, a group of a dragonfly
  system,
};
inline constexpr int levels = 6;

/// The name of a level: "cache", "socket", "node", "switch", "group", "system".
std::string_view name_of(Level level) noexcept;

/// The switches above a node, by names that are equal in all processes; 0: not known.
struct Switches {
  std::uint64_t leaf = 0;
  std::uint64_t group = 0;  ///< of the leaf switches
};

class Machine {
 public:
  virtual ~Machine() = default;
  /// Number of the unit of this level in which a process runs: equal for processes that share the unit, different for
  /// others, from 0 on in any order. Negative if the unit is not known; a level is ignored if the unit of one process
  /// is not known. Called for one process of each narrower unit, never for Level::system. Every process gets the same
  /// answers.
  virtual int unit(Level level, int process) const = 0;
  /// The switches above this process's node, if a process knows no other switches and unit() knows none: members of a
  /// team must then exchange their switches (coll/machine/switch_topology.hpp). Empty if there is nothing to exchange.
  virtual std::optional<Switches> switches_here() const { return std::nullopt; }
};

}  // namespace bowline::coll

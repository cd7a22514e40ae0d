// SPDX-License-Identifier: BSD-3-Clause
// Cluster: the simulated machine: its parts, their speed, and the place of each rank.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "coll/machine/machine.hpp"

namespace bowline::sim {

using coll::Level;

/// LogGP (A. Alexandrov et al., "LogGP: incorporating long messages into the LogP model", SPAA 1995) between two
/// processes whose nearest common hardware is of one level. Nanoseconds.
struct Costs {
  double latency = 0;     ///< L: from the end of the sender's work to the earliest begin of the receiver's
  double send = 0;        ///< o: the sender's processor per message
  double receive = 0;     ///< o: the receiver's
  double gap = 0;         ///< g: how long one message occupies a link of this level, whatever its length
  double byte = 0;        ///< G: how long one byte occupies a link of this level
  double copy_in = 0;     ///< how long one byte occupies the sender's processor
  double copy_out = 0;    ///< how long one byte occupies the receiver's
  std::size_t eager = 0;  ///< longest message in bytes that leaves before the receiver is known to be ready
};

enum class Switches : std::uint8_t { fat_tree, dragonfly };

/// What is measured or assumed of a machine. Within a node processors copy; between nodes links carry the data.
struct Parameters {
  std::array<Costs, coll::levels> levels{};
  double combine = 0;    ///< nanoseconds per byte of an operator
  double copy = 0;       ///< nanoseconds per byte of a copy within one process
  double call = 0;       ///< nanoseconds of a call in a row of calls, besides its messages
  double piece = 8192;   ///< bytes that the sender of a long message is ahead of the receiver, within a node
  double change = 0;     ///< nanoseconds of a change of process on a core that ranks share
  double ring = 131072;  ///< bytes that one rank of a node can have sent to another before that one looks

  int cores_per_node = 0;  ///< 0: one for each rank
  int sockets_per_node = 2;
  int caches_per_socket = 2;
  Switches switches = Switches::fat_tree;
  int nodes_per_switch = 32;
  int switches_per_group = 32;
  int uplinks_per_switch =
      32;  ///< of a fat tree: to its group's upper switches; fewer than nodes: less than full bandwidth
  int uplinks_per_group = 512;  ///< of a fat tree: to the core switches

  Costs& at(Level level) noexcept { return levels[static_cast<std::size_t>(level)]; }
  const Costs& at(Level level) const noexcept { return levels[static_cast<std::size_t>(level)]; }
};

/// A large machine of today: two sockets, one 200 Gbit/s adapter per node.
Parameters default_parameters();

/// Reads what a JSON file sets, over the defaults. Throws Error with file, key and what is allowed.
Parameters read_parameters(const std::string& file);

/// The parameters as JSON that read_parameters understands.
std::string to_json(const Parameters& parameters);

/// In which order ranks fill nodes: one node after the other, or going round all nodes.
enum class Placement : std::uint8_t { block, cyclic };

class Cluster final : public coll::Machine {
 public:
  Cluster(const Parameters& parameters, int nodes, int ranks_per_node, Placement placement = Placement::block);

  const Parameters& parameters() const noexcept { return parameters_; }
  int nodes() const noexcept { return nodes_; }
  int ranks() const noexcept { return nodes_ * per_node_; }
  int node(int rank) const noexcept { return placement_ == Placement::block ? rank / per_node_ : rank % nodes_; }
  /// The core that a rank runs on, counted through all nodes.
  int core(int rank) const noexcept;
  int cores() const noexcept { return nodes_ * cores_; }
  bool cores_are_shared() const noexcept { return cores_ < per_node_; }
  /// What the two share that is nearest.
  Level between(int rank, int other) const noexcept;
  int unit(Level level, int rank) const override;

 private:
  int local(int rank) const noexcept { return placement_ == Placement::block ? rank % per_node_ : rank / nodes_; }
  int core_in_node(int rank) const noexcept;
  int cache(int rank) const noexcept { return core_in_node(rank) / per_cache_; }
  int socket(int rank) const noexcept { return core_in_node(rank) / per_socket_; }

  Parameters parameters_;
  int nodes_;
  int per_node_;
  Placement placement_;
  int cores_;
  int per_cache_;
  int per_socket_;
};

}  // namespace bowline::sim

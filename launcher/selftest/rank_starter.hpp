// SPDX-License-Identifier: BSD-3-Clause
// How the self-test starts its ranks: with the mpiexec beside bowline-info, or with srun in an allocation of Slurm.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launcher/selftest/timed_command.hpp"

namespace bowline::launcher {

/// Which ranks a part needs.
enum class Where {
  process,     ///< one, which is no rank of MPI
  alone,       ///< one
  pair,        ///< two on one node
  neighbours,  ///< one on each of the first two nodes
  far,         ///< one on each node, of which the first and the last have something to do
  all          ///< as many on every node as there are cores
};

class RankStarter {
 public:
  /// `nodes`: how many of the allocation's; 0: one, and no allocation is needed. Throws UsageError, one sentence, if
  /// this is no place to start it from, or if there are not so many nodes.
  explicit RankStarter(int nodes);

  std::vector<std::string> command(Where where, const std::vector<std::string>& program) const;
  /// The command that runs a program once on each node; it puts the number of the node before each line, as "0: ".
  std::vector<std::string> on_each_node(const std::vector<std::string>& program) const;
  /// The names of the nodes; empty: only this one.
  const std::vector<std::string>& nodes() const { return nodes_; }
  int node_count() const { return nodes_.empty() ? 1 : static_cast<int>(nodes_.size()); }
  /// Of Where::all, on each node.
  int ranks_per_node() const { return ranks_per_node_; }

 private:
  std::vector<std::string> step(const std::vector<std::string>& nodes, int ranks_per_node, bool mpi) const;

  std::vector<std::string> nodes_;
  int ranks_per_node_ = 2;
  std::string mpiexec_;
};

/// The path of a program beside this one, by the first of its names that is there. Throws LaunchError if none is.
std::string beside(std::initializer_list<std::string_view> names);

}  // namespace bowline::launcher

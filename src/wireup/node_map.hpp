// SPDX-License-Identifier: BSD-3-Clause
// The node of each rank, as Slurm's PMIx plugin and PMI servers describe it: a short text for any number of ranks.
#pragma once

#include <string_view>
#include <vector>

namespace bowline::wireup {

/// Nodes are numbered from 0, the same in every process of the job. The memory is proportional to the number of blocks
/// in the text.
class NodeMap {
 public:
  /// Reads "(vector,(FIRST_NODE,NODES,RANKS_PER_NODE),...)", the format of PMI's process mapping: each block places
  /// the next ranks on consecutive nodes, RANKS_PER_NODE on each. Throws Error (MPI_ERR_OTHER) for anything else.
  explicit NodeMap(std::string_view text);

  /// The number of ranks that the map places.
  int ranks() const noexcept { return ranks_; }
  /// `rank` is 0 to ranks() - 1.
  int node_of(int rank) const noexcept;

 private:
  struct Block {
    int first_rank;
    int first_node;
    int ranks_per_node;
  };

  std::vector<Block> blocks_;
  int ranks_ = 0;
};

}  // namespace bowline::wireup

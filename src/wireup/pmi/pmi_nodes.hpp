// SPDX-License-Identifier: BSD-3-Clause
// PmiNodes: on which node each rank of a job runs, as a PMI server knows it.
#pragma once

#include <optional>
#include <vector>

#include "wireup/node_map.hpp"
#include "wireup/pmi/pmi_store.hpp"

namespace bowline::wireup {

/// Nodes are numbered from 0, the same in every process of the job.
class PmiNodes {
 public:
  /// Reads the server's map; if it has none, the ranks tell each other. All ranks of the job must do this together.
  /// Throws Error.
  PmiNodes(PmiStore& store, int rank, int size);

  int node_of(int rank) const noexcept;
  /// The ranks on the node of this rank, in ascending order.
  std::vector<int> local_ranks(int rank) const;
  int count() const noexcept { return count_; }

 private:
  void ask_each_other(PmiStore& store, int rank);

  int size_;
  int count_ = 1;
  std::optional<NodeMap> map_;
  std::vector<int> node_of_rank_;  ///< if there is no map
};

}  // namespace bowline::wireup

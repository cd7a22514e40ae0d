// SPDX-License-Identifier: BSD-3-Clause
// The list of a job's nodes, which turns host names into numbers; for servers other than Slurm's.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace bowline::wireup {

/// Nodes are numbered from 0 in the order of the list, which is the same in every process of the job.
class NodeNames {
 public:
  /// Reads "n1,n2,n3", as PMIX_NODE_LIST writes it.
  explicit NodeNames(std::string_view list);

  /// The number of the node with this host name. Throws Error (MPI_ERR_OTHER) if the host is not in the list; the
  /// message names `rank`, which runs there.
  int number_of(std::string_view host, int rank) const;

 private:
  std::string list_;
  std::map<std::string, int, std::less<>> numbers_;
};

}  // namespace bowline::wireup

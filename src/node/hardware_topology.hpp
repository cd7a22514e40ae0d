// SPDX-License-Identifier: BSD-3-Clause
// The node's hardware as hwloc reports it. Reading it takes milliseconds to seconds, so it is read on request only.
#pragma once

#include <string>
#include <vector>

namespace bowline::node {

/// The number of units of each level on this node, as far as this process may see them.
struct Topology {
  int packages = 0;
  int numa_nodes = 0;
  int l3_caches = 0;
  int cores = 0;
  int hardware_threads = 0;

  /// Reads the topology of this node; throws Error (MPI_ERR_OTHER) if hwloc cannot.
  static Topology read();
};

/// One kind of hardware, and the instance to which this process is bound.
struct Resource {
  std::string name;  ///< hwloc's, e.g. "Package"
  int mine = -1;     ///< hwloc's logical index; -1 if the process may run on several
};

/// The kinds of hardware that processes can share, from the widest to the narrowest, for this process as it is bound
/// now. Throws Error (MPI_ERR_OTHER) if hwloc cannot tell.
std::vector<Resource> resources();

}  // namespace bowline::node

// SPDX-License-Identifier: BSD-3-Clause
// The node's hardware as hwloc sees it. Reading it takes milliseconds to seconds, so nothing reads it before it is
// asked.
#pragma once

namespace bowline::node {

/// How many of each level this node has, as far as this process may see them.
struct Topology {
  int packages = 0;
  int numa_nodes = 0;
  int l3_caches = 0;
  int cores = 0;
  int hardware_threads = 0;

  /// Reads the topology of this node; throws Error (MPI_ERR_OTHER) if hwloc cannot.
  static Topology read();
};

}  // namespace bowline::node

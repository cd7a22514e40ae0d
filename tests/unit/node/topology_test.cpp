// SPDX-License-Identifier: BSD-3-Clause
// node/topology: the numbers that hwloc gives are consistent with each other and with the system's.
#include <gtest/gtest.h>
#include <unistd.h>

#include "node/hardware_topology.hpp"

namespace bowline::node {
namespace {

TEST(Topology, CountsWhatThisNodeHas) {
  const Topology topology = Topology::read();
  EXPECT_GE(topology.packages, 1);
  EXPECT_GE(topology.numa_nodes, 1);
  EXPECT_GE(topology.l3_caches, 0);
  EXPECT_GE(topology.cores, topology.packages);
  EXPECT_GE(topology.hardware_threads, topology.cores);
  EXPECT_LE(topology.hardware_threads, sysconf(_SC_NPROCESSORS_CONF));
}

}  // namespace
}  // namespace bowline::node

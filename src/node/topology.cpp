// SPDX-License-Identifier: BSD-3-Clause
#include "node/topology.hpp"

#include <hwloc.h>

#include <algorithm>
#include <memory>
#include <type_traits>

#include "base/error.hpp"

namespace bowline::node {
namespace {

struct Destroy {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using TopologyPointer = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, Destroy>;

TopologyPointer load() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) throw Error(ErrorClass::other, "hwloc cannot make a topology on this node");
  TopologyPointer topology(raw);
  if (hwloc_topology_load(raw) != 0) throw Error(ErrorClass::other, "hwloc cannot read this node's topology");
  return topology;
}

}  // namespace

Topology Topology::read() {
  const TopologyPointer hardware = load();
  const auto count = [&](hwloc_obj_type_t type) { return std::max(0, hwloc_get_nbobjs_by_type(hardware.get(), type)); };
  return {.packages = count(HWLOC_OBJ_PACKAGE),
          .numa_nodes = count(HWLOC_OBJ_NUMANODE),
          .l3_caches = count(HWLOC_OBJ_L3CACHE),
          .cores = count(HWLOC_OBJ_CORE),
          .hardware_threads = count(HWLOC_OBJ_PU)};
}

}  // namespace bowline::node

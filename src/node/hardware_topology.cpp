// SPDX-License-Identifier: BSD-3-Clause
#include "node/hardware_topology.hpp"

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

std::vector<Resource> resources() {
  constexpr hwloc_obj_type_t kinds[] = {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_NUMANODE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE,
                                        HWLOC_OBJ_L1CACHE, HWLOC_OBJ_CORE,     HWLOC_OBJ_PU};
  const TopologyPointer hardware = load();
  const std::unique_ptr<std::remove_pointer_t<hwloc_bitmap_t>, decltype(&hwloc_bitmap_free)> bound(hwloc_bitmap_alloc(),
                                                                                                   hwloc_bitmap_free);
  if (hwloc_get_cpubind(hardware.get(), bound.get(), HWLOC_CPUBIND_PROCESS) != 0) {
    throw Error(ErrorClass::other, "hwloc cannot tell where this process may run");
  }
  std::vector<Resource> result;
  for (const hwloc_obj_type_t kind : kinds) {
    Resource resource{.name = hwloc_obj_type_string(kind)};
    hwloc_obj_t object = nullptr;
    while ((object = hwloc_get_next_obj_by_type(hardware.get(), kind, object)) != nullptr) {
      if (hwloc_bitmap_isincluded(bound.get(), object->cpuset)) resource.mine = static_cast<int>(object->logical_index);
    }
    if (hwloc_get_nbobjs_by_type(hardware.get(), kind) > 0) result.push_back(resource);
  }
  return result;
}

}  // namespace bowline::node

// SPDX-License-Identifier: BSD-3-Clause
// The order in which ranks get a machine's units (cores or hardware threads).
#pragma once
#include <vector>

#include "launcher/command_line/placement_options.hpp"
#include "launcher/host_topology.hpp"

namespace bowline::launcher {

/// hwloc's name of a level. `place` is one of hwthread to node.
hwloc_obj_type_t object_type(Place place);

/// Whether `placement` needs a Topology that knows caches.
Caches caches_for(const Placement& placement);

/// The cores that `placement` leaves to the job, or its hardware threads if the user counts in hardware threads.
std::vector<Bitmap> units_of(const Placement& placement, const Topology& topology);

/// The index of the object that holds `cpus`.
size_t holder(const std::vector<Bitmap>& objects, hwloc_const_bitmap_t cpus);

/// One place per rank. Each place consists of `each` consecutive units if there are so many. `shared`: ranks share a
/// unit.
struct Places {
  std::vector<Bitmap> ranks;
  bool shared = false;
};

/// Distributes `units` according to placement.map_by, and numbers the places according to placement.rank_by.
Places deal(const Placement& placement, const Topology& topology, const std::vector<Bitmap>& units, int ranks,
            int each);

/// The order in which deal() would distribute single units: indices of `units`.
std::vector<size_t> deal_order(const Placement& placement, const Topology& topology, const std::vector<Bitmap>& units);

}  // namespace bowline::launcher

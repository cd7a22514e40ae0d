// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/hardware.hpp"

#include <algorithm>

#include "node/hardware_topology.hpp"
#include "runtime/runtime.hpp"

namespace bowline::runtime {

Hardware Hardware::read() {
  Hardware result{.names = {shared_memory, "hwloc://Package", "hwloc://NUMANode", "hwloc://L3Cache", "hwloc://L2Cache",
                            "hwloc://L1Cache", "hwloc://Core", "hwloc://PU"},
                  .mine = {}};
  result.mine[0] = this_process().first_rank_here();
  constexpr std::string_view prefix = "hwloc://";
  for (const node::Resource& resource : node::resources()) {
    const auto found = std::ranges::find_if(result.names, [&](std::string_view name) {
      return name.starts_with(prefix) && name.substr(8) == resource.name;
    });
    if (found != result.names.end())
      result.mine[static_cast<std::size_t>(found - result.names.begin())] = resource.mine;
  }
  return result;
}

comm::Place place_here() {
  const Hardware hardware = Hardware::read();
  return {{hardware.mine[0], hardware.mine[1], hardware.mine[3], hardware.mine[6]}};
}

}  // namespace bowline::runtime

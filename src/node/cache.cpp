// SPDX-License-Identifier: BSD-3-Clause
#include "node/cache.hpp"

#include <hwloc.h>

#include <exception>

#include "node/core_set.hpp"
#include "node/hardware_around.hpp"

namespace bowline::node {
namespace {

/// The hardware around this process's first core.
struct Surroundings {
  Cores mine = cores_of(0);
  const HardwareAround& around = hardware_around(hwloc_bitmap_first(mine.get()));
};

bool within(const Cores& some, const Cores& all) {
  return hwloc_bitmap_iszero(some.get()) == 0 && hwloc_bitmap_isincluded(some.get(), all.get()) != 0;
}

}  // namespace

Nearness nearness_to(pid_t process) noexcept {
  try {
    static const Surroundings here;
    const Cores theirs = cores_of(process);
    const auto both_within = [&](const Cores& all) { return within(here.mine, all) && within(theirs, all); };
    if (both_within(here.around.sharers(HardwareKind::l2_cache))) return Nearness::same_l2;
    if (both_within(here.around.sharers(HardwareKind::l3_cache))) return Nearness::same_l3;
    const Cores& socket = here.around.sharers(HardwareKind::package);
    if (both_within(socket)) return Nearness::same_socket;
    const bool apart = within(here.mine, socket) && hwloc_bitmap_iszero(theirs.get()) == 0 &&
                       hwloc_bitmap_intersects(theirs.get(), socket.get()) == 0;
    return apart ? Nearness::other_socket : Nearness::unknown;
  } catch (const std::exception&) {  // no memory
    return Nearness::unknown;
  }
}

int last_level_cache() {
  const Cores mine = cores_of(0);
  if (hwloc_bitmap_iszero(mine.get()) != 0) return -1;
  const Cores& sharers = hardware_around(hwloc_bitmap_first(mine.get())).sharers_of_last_cache();
  return hwloc_bitmap_isincluded(mine.get(), sharers.get()) != 0 ? hwloc_bitmap_first(sharers.get()) : -1;
}

}  // namespace bowline::node

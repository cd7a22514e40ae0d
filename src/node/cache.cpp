// SPDX-License-Identifier: BSD-3-Clause
#include "node/cache.hpp"

#include <exception>

#include "node/core_set.hpp"
#include "node/hardware_around.hpp"

namespace bowline::node {
namespace {

/// The hardware around this process's first core.
struct Surroundings {
  Cores mine = cores_of(0);
  const HardwareAround& around = hardware_around(mine.first());
};

bool within(const Cores& some, const Cores& all) {
  return !some.empty() && some.is_within(all);
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
    const bool apart = within(here.mine, socket) && !theirs.empty() && !theirs.intersects(socket);
    return apart ? Nearness::other_socket : Nearness::unknown;
  } catch (const std::exception&) {  // no memory
    return Nearness::unknown;
  }
}

int last_level_cache() {
  const Cores mine = cores_of(0);
  if (mine.empty()) return -1;
  const Cores& sharers = hardware_around(mine.first()).sharers_of_last_cache();
  return mine.is_within(sharers) ? sharers.first() : -1;
}

}  // namespace bowline::node

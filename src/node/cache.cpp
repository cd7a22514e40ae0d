// SPDX-License-Identifier: BSD-3-Clause
#include "node/cache.hpp"

#include <fmt/format.h>
#include <hwloc.h>

#include <exception>
#include <string>

#include "node/core_set.hpp"

namespace bowline::node {
namespace {

constexpr int most_caches = 8;

/// The first line of a file about a core; empty if there is none.
std::string said_of(int core, const std::string& file) {
  return first_line(fmt::format("/sys/devices/system/cpu/cpu{}/{}", core, file));
}

/// The cores in a list of such a file; none if there is no file.
Cores listed(int core, const std::string& file) {
  return cores_in(said_of(core, file));
}

/// The cores that share the last cache of `core`; none if the system does not say.
Cores sharers_of_last_cache(int core) {
  for (int index = most_caches; index-- > 0;) {
    Cores cores = listed(core, fmt::format("cache/index{}/shared_cpu_list", index));
    if (hwloc_bitmap_iszero(cores.get()) == 0) return cores;
  }
  return cores_in("");
}

/// The cores that share the cache of this level with `core`; none if the system does not say.
Cores sharers_of_cache(int core, const std::string& level) {
  for (int index = 0; index < most_caches; ++index) {
    if (said_of(core, fmt::format("cache/index{}/level", index)) == level)
      return listed(core, fmt::format("cache/index{}/shared_cpu_list", index));
  }
  return cores_in("");
}

/// The hardware around this process's first core.
struct Surroundings {
  Cores mine = cores_of(0);
  int core = hwloc_bitmap_first(mine.get());
  Cores l2 = sharers_of_cache(core, "2");
  Cores l3 = sharers_of_cache(core, "3");
  Cores socket = listed(core, "topology/package_cpus_list");
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
    if (both_within(here.l2)) return Nearness::same_l2;
    if (both_within(here.l3)) return Nearness::same_l3;
    if (both_within(here.socket)) return Nearness::same_socket;
    const bool apart = within(here.mine, here.socket) && hwloc_bitmap_iszero(theirs.get()) == 0 &&
                       hwloc_bitmap_intersects(theirs.get(), here.socket.get()) == 0;
    return apart ? Nearness::other_socket : Nearness::unknown;
  } catch (const std::exception&) {  // no memory
    return Nearness::unknown;
  }
}

int last_level_cache() {
  const Cores mine = cores_of(0);
  if (hwloc_bitmap_iszero(mine.get()) != 0) return -1;
  const Cores sharers = sharers_of_last_cache(hwloc_bitmap_first(mine.get()));
  return hwloc_bitmap_isincluded(mine.get(), sharers.get()) != 0 ? hwloc_bitmap_first(sharers.get()) : -1;
}

}  // namespace bowline::node

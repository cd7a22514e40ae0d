// SPDX-License-Identifier: BSD-3-Clause
#include "node/cache.hpp"

#include <fmt/format.h>
#include <hwloc.h>
#include <sched.h>

#include <fstream>
#include <memory>
#include <string>

namespace bowline::node {
namespace {

using Cores = std::unique_ptr<hwloc_bitmap_s, decltype(&hwloc_bitmap_free)>;

Cores no_cores() {
  return {hwloc_bitmap_alloc(), &hwloc_bitmap_free};
}

Cores own_cores() {
  Cores cores = no_cores();
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &mask)) hwloc_bitmap_set(cores.get(), static_cast<unsigned>(core));
  }
  return cores;
}

/// The cores that share the last cache of `core`; none if the system does not say.
Cores sharers_of_last_cache(int core) {
  constexpr int most_caches = 8;
  Cores cores = no_cores();
  for (int index = most_caches; index-- > 0;) {
    std::ifstream file(fmt::format("/sys/devices/system/cpu/cpu{}/cache/index{}/shared_cpu_list", core, index));
    std::string list;
    if (!std::getline(file, list)) continue;
    hwloc_bitmap_list_sscanf(cores.get(), list.c_str());
    break;
  }
  return cores;
}

}  // namespace

int last_level_cache() {
  const Cores mine = own_cores();
  if (hwloc_bitmap_iszero(mine.get()) != 0) return -1;
  const Cores sharers = sharers_of_last_cache(hwloc_bitmap_first(mine.get()));
  return hwloc_bitmap_isincluded(mine.get(), sharers.get()) != 0 ? hwloc_bitmap_first(sharers.get()) : -1;
}

}  // namespace bowline::node

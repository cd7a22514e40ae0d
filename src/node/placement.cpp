// SPDX-License-Identifier: BSD-3-Clause
#include "node/placement.hpp"

#include <sched.h>

namespace bowline::node {
namespace {

/// The number of the core at `position` among the cores in the set.
int core_at(std::size_t position, const cpu_set_t& set) noexcept {
  int core = 0;
  while (!CPU_ISSET(core, &set) || position-- > 0) ++core;
  return core;
}

}  // namespace

std::size_t preferred_core(std::size_t index, std::size_t cores) noexcept {
  if (cores <= 1) return 0;
  std::size_t sum = 0;
  for (; index > 0; index /= cores) sum += index % cores;
  return sum % cores;
}

void move_to_preferred_core(std::size_t index) noexcept {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  const auto cores = static_cast<std::size_t>(CPU_COUNT(&allowed));
  if (cores <= 1) return;
  const int core = core_at(preferred_core(index, cores), allowed);
  if (sched_getcpu() == core) return;
  cpu_set_t preferred;
  CPU_ZERO(&preferred);
  CPU_SET(core, &preferred);
  // Restricting the mask to the core moves the thread there; restoring the mask does not move it back.
  if (sched_setaffinity(0, sizeof preferred, &preferred) == 0) sched_setaffinity(0, sizeof allowed, &allowed);
}

}  // namespace bowline::node

// SPDX-License-Identifier: BSD-3-Clause
// node/cache: the number of the cache that this process's cores share.
#include "node/cache.hpp"

#include <gtest/gtest.h>
#include <hwloc.h>
#include <sched.h>

#include <filesystem>
#include <memory>
#include <string>

namespace bowline::node {
namespace {

/// Runs this thread on one core, until the end of the object's life.
class OnOneCore {
 public:
  explicit OnOneCore(int core) {
    EXPECT_EQ(sched_getaffinity(0, sizeof before_, &before_), 0);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<unsigned>(core), &one);
    EXPECT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  }
  ~OnOneCore() { EXPECT_EQ(sched_setaffinity(0, sizeof before_, &before_), 0); }
  OnOneCore(const OnOneCore&) = delete;
  OnOneCore& operator=(const OnOneCore&) = delete;

 private:
  cpu_set_t before_{};
};

TEST(LastLevelCache, IsTheLastOneThatHwlocFinds) {
  hwloc_topology_t read = nullptr;
  ASSERT_EQ(hwloc_topology_init(&read), 0);
  const std::unique_ptr<hwloc_topology, decltype(&hwloc_topology_destroy)> topology(read, &hwloc_topology_destroy);
  ASSERT_EQ(hwloc_topology_load(read), 0);
  for (int i = 0; i < hwloc_get_nbobjs_by_type(read, HWLOC_OBJ_PU); ++i) {
    const hwloc_obj_t unit = hwloc_get_obj_by_type(read, HWLOC_OBJ_PU, static_cast<unsigned>(i));
    const OnOneCore there(static_cast<int>(unit->os_index));
    hwloc_obj_t cache = nullptr;
    for (hwloc_obj_t above = unit->parent; above != nullptr; above = above->parent) {
      if (hwloc_obj_type_is_dcache(above->type) != 0) cache = above;
    }
    // hwloc also asks the processor itself, where the kernel does not say.
    const bool said = std::filesystem::exists("/sys/devices/system/cpu/cpu" + std::to_string(unit->os_index) +
                                              "/cache/index0/shared_cpu_list");
    const int expected = cache == nullptr || !said ? -1 : hwloc_bitmap_first(cache->complete_cpuset);
    EXPECT_EQ(last_level_cache(), expected) << "core " << unit->os_index;
  }
}

}  // namespace
}  // namespace bowline::node

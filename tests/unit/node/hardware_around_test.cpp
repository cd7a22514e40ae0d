// SPDX-License-Identifier: BSD-3-Clause
// node/hardware_around: who shares what with a core, on a machine of which the test writes the kernel's files, and on
// this one.
#include "node/hardware_around.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace bowline::node {
namespace {

class AroundACore : public testing::Test {
 protected:
  AroundACore() { std::filesystem::create_directories(folder_); }
  ~AroundACore() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& file, const std::string& line) {
    const std::filesystem::path path = folder_ / "cpu3" / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << line << "\n";
  }
  void write_cache(int index, const std::string& level, const std::string& sharers) {
    write(fmt::format("cache/index{}/level", index), level);
    write(fmt::format("cache/index{}/shared_cpu_list", index), sharers);
  }
  HardwareAround around() const { return HardwareAround(3, folder_); }

  /// As the kernel writes lists.
  static std::string text(const Cores& cores) {
    const auto has = [&](int core) { return cores.intersects(cores_in(std::to_string(core))); };
    std::string list;
    for (int core = 0; core < 4096; ++core) {
      if (!has(core)) continue;
      const int first = core;
      while (has(core + 1)) ++core;
      list += fmt::format("{}{}", list.empty() ? "" : ",", first);
      if (core > first) list += fmt::format("-{}", core);
    }
    return list;
  }
  static std::string sharers(const HardwareAround& hardware, HardwareKind kind) { return text(hardware.sharers(kind)); }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / fmt::format("bowline_around_{}", getpid());
};

TEST_F(AroundACore, EveryKindHasTheSharersThatTheKernelLists) {
  write("topology/package_cpus_list", "0-15");
  write("topology/core_cpus_list", "3,19");
  write("node1/cpulist", "0-7");
  write("node_other/cpulist", "9");
  write_cache(0, "1", "3,19");
  write_cache(1, "1", "3");  // of instructions
  write_cache(2, "2", "2-3");
  write_cache(3, "3", "0-5");
  const HardwareAround hardware = around();
  EXPECT_EQ(sharers(hardware, HardwareKind::package), "0-15");
  EXPECT_EQ(sharers(hardware, HardwareKind::numa_node), "0-7");
  EXPECT_EQ(sharers(hardware, HardwareKind::l3_cache), "0-5");
  EXPECT_EQ(sharers(hardware, HardwareKind::l2_cache), "2-3");
  EXPECT_EQ(sharers(hardware, HardwareKind::l1_cache), "3,19");
  EXPECT_EQ(sharers(hardware, HardwareKind::core), "3,19");
  EXPECT_EQ(sharers(hardware, HardwareKind::hardware_thread), "3");
  EXPECT_EQ(text(hardware.sharers_of_last_cache()), "0-5");
}

TEST_F(AroundACore, OlderKernelsUseOtherNames) {
  write("topology/core_siblings_list", "0-3");
  write("topology/thread_siblings_list", "3");
  write_cache(0, "1", "3");
  const HardwareAround hardware = around();
  EXPECT_EQ(sharers(hardware, HardwareKind::package), "0-3");
  EXPECT_EQ(sharers(hardware, HardwareKind::core), "3");
  EXPECT_EQ(text(hardware.sharers_of_last_cache()), "3");
}

TEST_F(AroundACore, WhatTheKernelDoesNotTellHasNoSharers) {
  const HardwareAround hardware = around();
  for (const HardwareKind kind : {HardwareKind::package, HardwareKind::numa_node, HardwareKind::l3_cache,
                                  HardwareKind::l2_cache, HardwareKind::l1_cache, HardwareKind::core})
    EXPECT_EQ(sharers(hardware, kind), "");
  EXPECT_EQ(text(hardware.sharers_of_last_cache()), "");
}

TEST(HardwareHere, AProcessOnOneCoreIsOnOneInstanceOfEachKind) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  const int core = cores_of(0).first();
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(core), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  const auto instances = instances_here();
  sched_setaffinity(0, sizeof before, &before);
  for (const int instance : instances) EXPECT_GE(instance, 0);
  EXPECT_EQ(instances.back(), core);
  EXPECT_EQ(&hardware_here(), &hardware_around(core)) << "it is read once";
}

}  // namespace
}  // namespace bowline::node

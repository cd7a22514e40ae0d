// SPDX-License-Identifier: BSD-3-Clause
// node/memory: what is left on the machine and in memory cgroups of both versions, from crafted files.
#include "node/memory.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>

namespace bowline::node {
namespace {

constexpr std::uint64_t mebi = 1 << 20;

using Files = std::map<std::string, std::string>;

/// A machine with `available` MiB and `swap` MiB, whose /proc has these files.
Files machine(std::uint64_t available, std::uint64_t swap, const std::string& cgroup, const std::string& mountinfo) {
  return {{"/proc/meminfo", "MemTotal:       24683520 kB\nMemFree:          100000 kB\nMemAvailable:   " +
                                std::to_string(available * 1024) +
                                " kB\nSwapCached: 7 kB\nSwapFree:  " + std::to_string(swap * 1024) + " kB\n"},
          {"/proc/self/cgroup", cgroup},
          {"/proc/self/mountinfo", mountinfo}};
}

std::string mib(std::uint64_t amount) {
  return std::to_string(amount * mebi) + "\n";
}

/// "bytes where", or "room".
std::string verdict(const Files& files, std::uint64_t needed_mib) {
  const auto read = [&](const std::string& path) -> std::optional<std::string> {
    const auto found = files.find(path);
    if (found == files.end()) return std::nullopt;
    return found->second;
  };
  const auto room = memory_short_of(needed_mib * mebi, read);
  return room ? std::to_string(room->bytes / mebi) + " " + room->where : "room";
}

const std::string mount_two = "29 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
const std::string mount_one =
    "31 30 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
    "32 30 0:29 / /sys/fs/cgroup/memory rw,nosuid shared:9 master:2 - cgroup cgroup rw,memory\n";

using Groups = std::vector<ControlGroup>;

TEST(Memory, TextOfTheKernelIsUnderstood) {
  const std::string text = "MemFreeAll: 1 kB\nMemFree:  12 kB\nanon 77\nanon_thp 5\nodd: x\n";
  EXPECT_EQ(value_of(text, "MemFree"), 12U * 1024);
  EXPECT_EQ(value_of(text, "anon"), 77U);
  EXPECT_EQ(value_of(text, "anon_thp"), 5U);
  EXPECT_EQ(value_of(text, "odd"), std::nullopt);
  EXPECT_EQ(value_of(text, "none"), std::nullopt);
  EXPECT_EQ(value_of("", "anon"), std::nullopt);

  EXPECT_EQ(amount_in("4096\n"), 4096U);
  EXPECT_EQ(amount_in("0\n"), 0U);
  EXPECT_EQ(amount_in("max\n"), no_limit);
  EXPECT_EQ(amount_in("9223372036854771712\n"), no_limit);
  EXPECT_EQ(amount_in("9223372036854710272\n"), no_limit) << "pages of 64 KiB";
  EXPECT_EQ(amount_in(std::nullopt), no_limit);
}

TEST(Memory, GroupsOfVersionTwo) {
  EXPECT_EQ(control_groups("memory", "0::/a.slice/b.scope\n", mount_two),
            (Groups{{2, "/sys/fs/cgroup/a.slice/b.scope"}, {2, "/sys/fs/cgroup/a.slice"}, {2, "/sys/fs/cgroup"}}));
  EXPECT_EQ(control_groups("memory", "0::/\n", mount_two), (Groups{{2, "/sys/fs/cgroup"}}));
}

TEST(Memory, GroupsOfVersionOne) {
  const std::string cgroup = "5:cpu,cpuacct:/x\n4:memory:/jobs/7\n1:name=systemd:/y\n";
  const Groups expected{
      {1, "/sys/fs/cgroup/memory/jobs/7"}, {1, "/sys/fs/cgroup/memory/jobs"}, {1, "/sys/fs/cgroup/memory"}};
  EXPECT_EQ(control_groups("memory", cgroup, mount_one), expected);
}

TEST(Memory, GroupsOfBothVersionsAtOnce) {
  const std::string unified = "33 30 0:30 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
  EXPECT_EQ(control_groups("memory", "4:memory:/\n0::/\n", mount_one + unified),
            (Groups{{1, "/sys/fs/cgroup/memory"}, {2, "/sys/fs/cgroup/unified"}}));
}

TEST(Memory, GroupsInContainers) {
  const std::string part = "29 23 0:26 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw\n";
  EXPECT_EQ(control_groups("memory", "0::/docker/abc\n", part), (Groups{{2, "/sys/fs/cgroup"}}));
  EXPECT_EQ(control_groups("memory", "0::/docker/abc/in\n", part),
            (Groups{{2, "/sys/fs/cgroup/in"}, {2, "/sys/fs/cgroup"}}));
  EXPECT_EQ(control_groups("memory", "0::/../other\n", mount_two), (Groups{{2, "/sys/fs/cgroup"}}));
}

TEST(Memory, NoGroupsAtAll) {
  EXPECT_EQ(control_groups("memory", "", ""), Groups{});
  EXPECT_EQ(control_groups("memory", "0::/a\n", ""), Groups{});
  EXPECT_EQ(control_groups("memory", "nonsense", "nonsense"), Groups{});
}

TEST(Memory, TheMachineIsABound) {
  EXPECT_EQ(verdict(machine(100, 0, "", ""), 100), "room");
  EXPECT_EQ(verdict(machine(100, 0, "", ""), 101), "100 on this machine");
  EXPECT_EQ(verdict(machine(100, 20, "", ""), 120), "room");
  EXPECT_EQ(verdict(machine(100, 20, "", ""), 121), "120 on this machine");
}

TEST(Memory, NothingKnownIsNoBound) {
  EXPECT_EQ(verdict({}, 1 << 30), "room");
}

TEST(Memory, EveryLevelOfVersionTwoIsABound) {
  Files files = machine(1000, 0, "0::/out/in\n", mount_two);
  const std::string out = "/sys/fs/cgroup/out";
  files[out + "/in/memory.max"] = "max\n";
  files[out + "/in/memory.current"] = mib(30);
  EXPECT_EQ(verdict(files, 900), "room");
  files[out + "/memory.max"] = mib(64);
  files[out + "/memory.current"] = mib(40);
  EXPECT_EQ(verdict(files, 24), "room");
  EXPECT_EQ(verdict(files, 25), "24 in the memory cgroup " + out);
  files[out + "/in/memory.max"] = mib(32);
  EXPECT_EQ(verdict(files, 25), "2 in the memory cgroup " + out + "/in");
  files[out + "/in/memory.current"] = mib(33);
  EXPECT_EQ(verdict(files, 25), "0 in the memory cgroup " + out + "/in") << "the limit was lowered";
}

TEST(Memory, PagesOfFilesCanBeGivenUp) {
  Files files = machine(1000, 0, "0::/\n", mount_two);
  files["/sys/fs/cgroup/memory.max"] = mib(64);
  files["/sys/fs/cgroup/memory.current"] = mib(60);
  files["/sys/fs/cgroup/memory.stat"] = "anon 9\nfile 99\ninactive_file " + mib(20) + "active_file " + mib(10);
  EXPECT_EQ(verdict(files, 34), "room");
  EXPECT_EQ(verdict(files, 35), "34 in the memory cgroup /sys/fs/cgroup");
}

TEST(Memory, SwapOfVersionTwoCounts) {
  Files files = machine(1000, 50, "0::/\n", mount_two);
  files["/sys/fs/cgroup/memory.max"] = mib(64);
  files["/sys/fs/cgroup/memory.current"] = mib(60);
  EXPECT_EQ(verdict(files, 54), "room") << "without swap.max the machine's swap is the bound";
  EXPECT_EQ(verdict(files, 55), "54 in the memory cgroup /sys/fs/cgroup");
  files["/sys/fs/cgroup/memory.swap.max"] = mib(8);
  files["/sys/fs/cgroup/memory.swap.current"] = mib(2);
  EXPECT_EQ(verdict(files, 11), "10 in the memory cgroup /sys/fs/cgroup");
  files["/sys/fs/cgroup/memory.swap.max"] = "0\n";
  EXPECT_EQ(verdict(files, 5), "4 in the memory cgroup /sys/fs/cgroup");
}

TEST(Memory, VersionOneIsABound) {
  Files files = machine(1000, 0, "4:memory:/jobs\n", mount_one);
  const std::string jobs = "/sys/fs/cgroup/memory/jobs";
  files["/sys/fs/cgroup/memory/memory.limit_in_bytes"] = "9223372036854771712\n";
  files[jobs + "/memory.limit_in_bytes"] = mib(64);
  files[jobs + "/memory.usage_in_bytes"] = mib(60);
  files[jobs + "/memory.stat"] = "inactive_file " + mib(500) + "total_inactive_file " + mib(3);
  EXPECT_EQ(verdict(files, 7), "room");
  EXPECT_EQ(verdict(files, 8), "7 in the memory cgroup " + jobs);
}

TEST(Memory, SwapOfVersionOneCounts) {
  Files files = machine(1000, 50, "4:memory:/\n", mount_one);
  const std::string top = "/sys/fs/cgroup/memory";
  files[top + "/memory.limit_in_bytes"] = mib(64);
  files[top + "/memory.usage_in_bytes"] = mib(60);
  EXPECT_EQ(verdict(files, 55), "54 in the memory cgroup " + top);
  files[top + "/memory.memsw.limit_in_bytes"] = mib(80);
  files[top + "/memory.memsw.usage_in_bytes"] = mib(70);
  EXPECT_EQ(verdict(files, 11), "10 in the memory cgroup " + top);
}

/// A machine whose room may change; counts how often it is asked.
class Asked {
 public:
  explicit Asked(std::uint64_t available_mib) : available_mib_(available_mib) {}
  void set(std::uint64_t available_mib) { available_mib_ = available_mib; }
  int times() const { return times_; }
  /// Takes `bytes` from the allowance at `milliseconds`; whether it got them.
  bool take(MemoryAllowance& allowance, std::uint64_t bytes, int milliseconds) {
    const auto read = [&](const std::string& path) -> std::optional<std::string> {
      if (path != "/proc/meminfo") return std::nullopt;
      ++times_;
      return "MemAvailable: " + std::to_string(available_mib_ * 1024) + " kB\n";
    };
    const MemoryAllowance::Time now{std::chrono::hours(1) + std::chrono::milliseconds(milliseconds)};
    const auto found = allowance.short_of(bytes, mebi, now, read);
    if (found) {
      EXPECT_EQ(found->bytes, available_mib_ * mebi);
    }
    return !found;
  }

 private:
  std::uint64_t available_mib_;
  int times_ = 0;
};

TEST(MemoryAllowance, GivesManySmallAmountsForOneQuestion) {
  MemoryAllowance allowance;
  Asked machine(100'000);
  for (int i = 0; i < 128; ++i) ASSERT_TRUE(machine.take(allowance, 8192, i / 2));
  EXPECT_EQ(machine.times(), 1);
  EXPECT_TRUE(machine.take(allowance, 8192, 64)) << "all was given away";
  EXPECT_EQ(machine.times(), 2);
}

TEST(MemoryAllowance, IsASmallPartOfTheRoom) {
  MemoryAllowance allowance;
  Asked machine(64);
  EXPECT_TRUE(machine.take(allowance, 8192, 0));
  EXPECT_TRUE(machine.take(allowance, 8192, 0));
  EXPECT_EQ(machine.times(), 1) << "16 KiB are a 4096th";
  EXPECT_TRUE(machine.take(allowance, 8192, 0));
  EXPECT_EQ(machine.times(), 2);
}

TEST(MemoryAllowance, EndsSoon) {
  MemoryAllowance allowance;
  Asked machine(100'000);
  EXPECT_TRUE(machine.take(allowance, 8192, 0));
  machine.set(0);
  EXPECT_TRUE(machine.take(allowance, 8192, 99));
  EXPECT_FALSE(machine.take(allowance, 8192, 100));
  EXPECT_FALSE(machine.take(allowance, 1, 100)) << "a refusal leaves nothing";
}

TEST(MemoryAllowance, KeepsTheMargin) {
  MemoryAllowance allowance;
  Asked machine(10);
  EXPECT_TRUE(machine.take(allowance, 9 * mebi, 0));
  EXPECT_FALSE(machine.take(allowance, 9 * mebi + 1, 0));
  EXPECT_EQ(machine.times(), 2) << "what is more than a small part is asked for every time";
}

TEST(Memory, ThisMachineHasSome) {
  EXPECT_EQ(memory_short_of(1), std::nullopt);
  const auto room = memory_short_of(no_limit - 1);
  ASSERT_TRUE(room);
  EXPECT_GT(room->bytes, mebi);
}

}  // namespace
}  // namespace bowline::node

// SPDX-License-Identifier: BSD-3-Clause
// Programs are found as a shell finds them; hosts are this machine or not.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>

#include "launcher/job_check.hpp"
#include "launcher/limits.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

namespace fs = std::filesystem;

class FindProgram : public testing::Test {
 protected:
  FindProgram() : root_(testing::TempDir() + "find-program-" + std::to_string(getpid())) {
    for (const char* name : {"a/tool", "b/tool", "b/other"}) make(name, fs::perms::owner_all);
    make("a/other", fs::perms::owner_read);  // not executable: passed over
    fs::create_directories(root_ / "a/folder");
  }
  ~FindProgram() override { fs::remove_all(root_); }

  void make(const std::string& name, fs::perms permissions) {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << "#!/bin/sh\n";
    fs::permissions(root_ / name, permissions);
  }
  std::string path() const { return at("a") + ":" + at("b"); }
  std::string at(const char* name) const { return (root_ / name).string(); }

 private:
  fs::path root_;
};

TEST_F(FindProgram, FirstHitInPath) {
  EXPECT_EQ(find_program("tool", "", path()), at("a/tool"));
  EXPECT_EQ(find_program("other", "", path()), at("b/other"));
}

TEST_F(FindProgram, NamesWithASlashAreTakenAsTheyAre) {
  EXPECT_EQ(find_program(at("b/tool"), "", path()), at("b/tool"));
  EXPECT_EQ(find_program("./tool", at("b"), ""), "./tool");
}

TEST_F(FindProgram, Complaints) {
  EXPECT_THROW(find_program("absent", "", path()), UsageError);
  EXPECT_THROW(find_program("folder", "", path()), UsageError);
  EXPECT_THROW(find_program(at("a/folder"), "", path()), UsageError);
  EXPECT_THROW(find_program(at("a/other"), "", path()), UsageError);
  EXPECT_THROW(find_program("./tool", at("a/folder"), path()), UsageError);
  EXPECT_THROW(find_program("", "", path()), UsageError);
}

Options ranks(int first, int second) {
  Options options;
  options.apps.resize(2);
  options.apps[0].ranks = first;
  options.apps[1].ranks = second;
  return options;
}

std::string refusal(const Options& options, const Limit& limit) {
  try {
    check_limits(options, {limit});
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Limits, LeaveRoomForSoManyRanks) {
  const Limit limit{.name = "pids.max of the cgroup /a", .what = "processes", .most = 20, .used = 4, .fixed = 6};
  EXPECT_EQ(refusal(ranks(3, 7), limit), "");
  EXPECT_EQ(refusal(ranks(3, 8), limit),
            "-n 11: the job needs at least 17 processes, but the limit is 20, by pids.max of the cgroup /a, and 4 are "
            "in use; ask for at most 10 ranks");
}

TEST(Limits, OfWhichEachRankNeedsSome) {
  const Limit limit{.name = "RLIMIT_NOFILE (ulimit -Hn)",
                    .what = "open files",
                    .most = 64,
                    .fixed = 40,
                    .each = 3,
                    .how_to_raise = "ulimit -n"};
  EXPECT_EQ(refusal(ranks(4, 4), limit), "");
  EXPECT_EQ(
      refusal(ranks(4, 5), limit),
      "-n 9: the job needs at least 67 open files, but the limit is 64, by RLIMIT_NOFILE (ulimit -Hn); ask for at "
      "most 8 ranks, or raise it: ulimit -n");
}

TEST(Limits, OnProcessesAndMemoryAreThoseOfTheSystem) {
  const std::map<std::string, std::string> files = {
      {"/proc/self/cgroup", "0::/job\n"},
      {"/proc/self/mountinfo", "29 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"},
      {"/sys/fs/cgroup/job/pids.max", "50\n"},
      {"/sys/fs/cgroup/job/pids.current", "10\n"},
      {"/proc/sys/kernel/pid_max", "90\n"},
      {"/proc/loadavg", "0.50 0.40 0.30 2/60 1234\n"},
      {"/proc/meminfo", "MemAvailable: 2048 kB\n"},
  };
  const auto read = [&files](const std::string& path) -> std::optional<std::string> {
    const auto file = files.find(path);
    return file == files.end() ? std::nullopt : std::optional(file->second);
  };
  const auto names = [&](int count) {
    std::string refusals;
    for (const Limit& limit : job_limits(ranks(1, count - 1), read)) refusals += refusal(ranks(1, count - 1), limit);
    return refusals;
  };
  EXPECT_EQ(names(8), "");
  EXPECT_NE(names(12).find("KiB of memory, but the limit is 2048, by the memory that is left on this machine"),
            std::string::npos);
  EXPECT_NE(names(25).find("the limit is 90, by kernel.pid_max, and 60 are in use; ask for at most 24 ranks"),
            std::string::npos);
  EXPECT_NE(names(35).find("the limit is 50, by pids.max of the cgroup /sys/fs/cgroup/job, and 10 are in use"),
            std::string::npos);
}

TEST(Limits, OfThisSystemAllowAFewRanksAndNotAThousandMillion) {
  const Options few = ranks(1, 1), many = ranks(Options::most_ranks / 2, Options::most_ranks / 2);
  EXPECT_NO_THROW(check_limits(few, job_limits(few)));
  EXPECT_THROW(check_limits(many, job_limits(many)), UsageError);
}

TEST(Hosts, OnlyThisHost) {
  EXPECT_TRUE(names_only_this_host(parse_hosts("-H", host_name() + ",localhost,127.0.0.1:4,::1")));
  EXPECT_FALSE(names_only_this_host(parse_hosts("-H", "localhost,another")));
  EXPECT_FALSE(names_only_this_host(parse_hosts("-H", "192.0.2.1")));
  EXPECT_FALSE(names_only_this_host({}));
}

}  // namespace
}  // namespace bowline::launcher

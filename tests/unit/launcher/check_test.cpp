// SPDX-License-Identifier: BSD-3-Clause
// Programs are found as a shell finds them; hosts are this machine or not.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "launcher/job_check.hpp"
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

TEST(Ranks, FewerThanTheMachineCanHaveProcesses) {
  Options options;
  options.apps.resize(2);
  options.apps[0].ranks = 3;
  options.apps[1].ranks = 4;
  EXPECT_NO_THROW(check_ranks(options, {.most = 8, .set_by = "kernel.pid_max"}));
  try {
    check_ranks(options, {.most = 7, .set_by = "kernel.pid_max"});
    FAIL() << "seven ranks and mpiexec are eight processes";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(),
                 "-n 7: this machine cannot have so many processes: at most 7 of all kinds, by kernel.pid_max; ask for "
                 "fewer ranks");
  }
  EXPECT_GT(process_limit().most, 64);
}

TEST(Hosts, OnlyThisHost) {
  EXPECT_TRUE(names_only_this_host(parse_hosts("-H", host_name() + ",localhost,127.0.0.1:4,::1")));
  EXPECT_FALSE(names_only_this_host(parse_hosts("-H", "localhost,another")));
  EXPECT_FALSE(names_only_this_host(parse_hosts("-H", "192.0.2.1")));
  EXPECT_FALSE(names_only_this_host({}));
}

}  // namespace
}  // namespace bowline::launcher

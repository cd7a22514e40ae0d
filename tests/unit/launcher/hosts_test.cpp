// SPDX-License-Identifier: BSD-3-Clause
// Lists and files of hosts in both launchers' forms.
#include "launcher/command_line/hosts.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

using Hosts = std::vector<Host>;

class HostFile : public testing::Test {
 protected:
  HostFile() : path_(testing::TempDir() + "hostfile-" + std::to_string(getpid())) {}
  ~HostFile() override { std::remove(path_.c_str()); }

  Hosts read(const std::string& text) {
    std::ofstream(path_) << text;
    return read_hostfile(path_);
  }
  std::string complaint(const std::string& text) {
    try {
      read(text);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "none";
  }

 private:
  std::string path_;
};

TEST_F(HostFile, BothForms) {
  EXPECT_EQ(read("# comment\n\na slots=4 max_slots=8\nb:2  # two\nuser@c\n d  slots=auto\n"),
            (Hosts{{"a", 4}, {"b", 2}, {"c", 1}, {"d", Host::all_cores}}));
}

TEST_F(HostFile, Complaints) {
  EXPECT_NE(complaint("a\nb slots=x\n").find("line 2: slots x: the number of slots must be"), std::string::npos);
  EXPECT_NE(complaint("a:0\n").find("line 1: a: 0"), std::string::npos) << complaint("a:0\n");
  EXPECT_NE(complaint("a b\n").find("line 1: \"b\" is not known"), std::string::npos);
  EXPECT_NE(complaint("# nothing\n").find("names no host"), std::string::npos);
  EXPECT_THROW(read_hostfile("/no/such/file"), UsageError);
}

TEST(Hosts, Lists) {
  EXPECT_EQ(parse_hosts("-H", "a,b:3,a"), (Hosts{{"a", 1}, {"b", 3}, {"a", 1}}));
  EXPECT_EQ(parse_hosts("-H", "fe80::1,[::1]"), (Hosts{{"fe80::1", 1}, {"[::1]", 1}}));
  EXPECT_THROW(parse_hosts("-H", "a,,b"), UsageError);
  EXPECT_THROW(parse_hosts("-H", "a:many"), UsageError);
  EXPECT_THROW(parse_hosts("-H", ":2"), UsageError);
}

TEST(Hosts, NamesOfThisOne) {
  for (const char* name : {"localhost", "127.0.0.1", "::1", "node7", "node7.cluster"})
    EXPECT_TRUE(is_this_host(name, "node7")) << name;
  EXPECT_TRUE(is_this_host("node7", "node7.cluster"));
  for (const char* name : {"node8", "192.0.2.1", "node7.other"})
    EXPECT_FALSE(is_this_host(name, "node7.cluster")) << name;
}

}  // namespace
}  // namespace bowline::launcher

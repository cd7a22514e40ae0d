// SPDX-License-Identifier: BSD-3-Clause
// Which descriptors a rank inherits.
#include "launcher/job/rank_process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string>

namespace bowline::launcher {
namespace {

/// Whether a program that is started with these descriptors has this one.
bool inherits(const std::vector<int>& kept, int descriptor) {
  const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
  const pid_t process = start_process({.program = "/bin/sh",
                                       .arguments = {"sh", "-c", "test -e " + path},
                                       .environment = {},
                                       .wdir = "",
                                       .stdin_fd = STDIN_FILENO,
                                       .stdout_fd = STDOUT_FILENO,
                                       .stderr_fd = STDERR_FILENO,
                                       .kept_fds = kept,
                                       .cpu_mask = {},
                                       .open_files = {.rlim_cur = 256, .rlim_max = 256},
                                       .rank = 0});
  int status = -1;
  waitpid(process, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  return WEXITSTATUS(status) == 0;
}

/// One that programs inherit if nobody keeps them from it: such as the server's end of a connection that PMIx has just
/// accepted.
TEST(RankProcess, InheritsOnlyWhatItIsGiven) {
  const int low = open("/dev/null", O_RDONLY), between = open("/dev/null", O_RDONLY);
  const int high = open("/dev/null", O_RDONLY | O_CLOEXEC);
  for (const int descriptor : {low, between, high}) EXPECT_FALSE(inherits({}, descriptor));
  EXPECT_TRUE(inherits({high, low}, low));
  EXPECT_TRUE(inherits({high, low}, high));
  EXPECT_FALSE(inherits({high, low}, between));
  const std::vector<int> passed_on = inheritable_descriptors();
  EXPECT_TRUE(std::ranges::includes(passed_on, std::vector{low, between}));
  EXPECT_EQ(std::ranges::count(passed_on, high), 0);
  EXPECT_TRUE(inherits(passed_on, between));
  for (const int descriptor : {low, between, high}) close(descriptor);
}

}  // namespace
}  // namespace bowline::launcher

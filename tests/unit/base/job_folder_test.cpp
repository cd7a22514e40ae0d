// SPDX-License-Identifier: BSD-3-Clause
// base/job_folder: a rank takes its descriptor for the folder only if it is that directory.
#include "base/job_folder.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace bowline {
namespace {

int open_folder(const char* path) {
  return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

TEST(JobFolder, TicketsArriveAsTheyWereWritten) {
  const JobFolderTicket sent{.descriptor = 7, .device = 1, .file = 0xffffffffffffffff, .network = 4};
  const auto arrived = JobFolderTicket::parse(sent.text());
  ASSERT_TRUE(arrived.has_value());
  EXPECT_EQ(arrived->text(), sent.text());
  for (const char* wrong :
       {"", "1", "1:2:3", "1:2:3:", "1:2:3:4:5", "1:2:3:4 ", "-1:2:3:4", "99999999999:2:3:4", "x:2:3:4"})
    EXPECT_FALSE(JobFolderTicket::parse(wrong)) << wrong;
}

TEST(JobFolder, IsFoundWhileItsDescriptorIsThatDirectory) {
  EXPECT_FALSE(job_folder());
  const int folder = open_folder("/tmp");
  const auto ticket = JobFolderTicket::of(folder);
  ASSERT_TRUE(ticket.has_value());
  EXPECT_EQ(ticket->network, network_namespace());
  setenv(JobFolderTicket::variable, ticket->text().c_str(), 1);
  EXPECT_TRUE(job_folder());
  const int other = open_folder("/");
  dup3(other, folder, O_CLOEXEC);
  EXPECT_FALSE(job_folder());
  close(folder);
  EXPECT_FALSE(job_folder());
  close(other);
  unsetenv(JobFolderTicket::variable);
}

TEST(JobFolder, OnlyADirectoryIsAFolder) {
  const int device = open("/dev/null", O_RDONLY | O_CLOEXEC);
  EXPECT_FALSE(JobFolderTicket::of(device));
  EXPECT_FALSE(JobFolderTicket::of(-1));
  close(device);
}

}  // namespace
}  // namespace bowline

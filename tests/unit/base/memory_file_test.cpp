// SPDX-License-Identifier: BSD-3-Clause
// base/memory_file: files without a name, whose length nobody changes.
#include "base/memory_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace bowline {
namespace {

TEST(MemoryFile, HasAFixedLengthOnceThatIsFixed) {
  const int file = make_memory_file("test");
  ASSERT_GE(file, 0);
  EXPECT_NE(fcntl(file, F_GETFD) & FD_CLOEXEC, 0);
  EXPECT_EQ(ftruncate(file, 100), 0);
  EXPECT_FALSE(has_fixed_length(file));
  EXPECT_TRUE(fix_length(file));
  EXPECT_TRUE(has_fixed_length(file));
  EXPECT_NE(ftruncate(file, 10), 0);
  close(file);
}

// As where memfd_create is refused.
TEST(MemoryFile, AFileOfAFileSystemNeedsNoSealsIfItHasNoName) {
  std::string path = testing::TempDir() + "memory-file-XXXXXX";
  const int file = mkostemp(path.data(), O_CLOEXEC);
  ASSERT_GE(file, 0);
  EXPECT_FALSE(fix_length(file));
  EXPECT_FALSE(has_fixed_length(file));
  unlink(path.c_str());
  EXPECT_TRUE(fix_length(file));
  EXPECT_TRUE(has_fixed_length(file));
  close(file);
}

TEST(MemoryFile, WhatIsNoFileHasNoFixedLength) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  EXPECT_FALSE(has_fixed_length(ends[0]));
  EXPECT_FALSE(fix_length(ends[0]));
  for (const int end : ends) close(end);
  EXPECT_FALSE(has_fixed_length(ends[0]));
}

}  // namespace
}  // namespace bowline

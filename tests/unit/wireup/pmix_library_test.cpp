// SPDX-License-Identifier: BSD-3-Clause
// wireup: where PMIx's library is looked for.
#include "wireup/pmix_library.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

namespace bowline::wireup {
namespace {

class PmixFiles : public ::testing::Test {
 protected:
  PmixFiles() { forget(); }
  ~PmixFiles() override { forget(); }

 private:
  static void forget() {
    for (const char* const name : {"BOWLINE_PMIX", "PMIX_PREFIX"}) unsetenv(name);
  }
};

TEST_F(PmixFiles, TheLoadersChoiceComesFirst) {
  const std::vector<std::string> files = pmix_files();
  ASSERT_GE(files.size(), 2U);
  EXPECT_EQ(files[0], "libpmix.so.2");
  EXPECT_TRUE(std::all_of(files.begin() + 1, files.end(), [](const std::string& file) { return file[0] == '/'; }));
}

TEST_F(PmixFiles, WhatTheLauncherNamesComesBeforeIt) {
  setenv("PMIX_PREFIX", "/opt/pmix", 1);
  const std::vector<std::string> files = pmix_files();
  ASSERT_GE(files.size(), 4U);
  EXPECT_EQ(files[0], "/opt/pmix/lib/libpmix.so.2");
  EXPECT_EQ(files[1], "/opt/pmix/lib64/libpmix.so.2");
  EXPECT_EQ(files[2], "libpmix.so.2");
}

TEST_F(PmixFiles, TheUsersChoiceIsTheOnlyOne) {
  setenv("PMIX_PREFIX", "/opt/pmix", 1);
  setenv("BOWLINE_PMIX", "/opt/other/libpmix.so", 1);
  EXPECT_EQ(pmix_files(), std::vector<std::string>{"/opt/other/libpmix.so"});
  setenv("BOWLINE_PMIX", "", 1);
  EXPECT_GT(pmix_files().size(), 3U);
}

}  // namespace
}  // namespace bowline::wireup

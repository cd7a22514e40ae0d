// SPDX-License-Identifier: BSD-3-Clause
// base/log: levels, one whole line per message, and who is talking.
#include "base/log.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/tunable.hpp"

namespace bowline {
namespace {

class Log : public testing::Test {
 protected:
  ~Log() override { set_level(1); }

  static void set_level(int level) {
    const auto all = TunableBase::all();
    const auto found = std::ranges::find(all, "log_level", &TunableBase::name);
    ASSERT_NE(found, all.end());
    (*found)->set(std::to_string(level));
  }

  template <class F>
  static std::string errors_of(F talk) {
    testing::internal::CaptureStderr();
    talk();
    return testing::internal::GetCapturedStderr();
  }
};

TEST_F(Log, TellsWarningsAndErrorsByDefault) {
  EXPECT_TRUE(log::enabled(log::Level::error));
  EXPECT_TRUE(log::enabled(log::Level::warning));
  EXPECT_FALSE(log::enabled(log::Level::info));
  EXPECT_FALSE(log::enabled(log::Level::debug));
}

TEST_F(Log, WritesOneLineWithValues) {
  EXPECT_EQ(errors_of([] { log::warning("{} of {}", 3, "four"); }), "bowline: 3 of four\n");
  EXPECT_EQ(errors_of([] { log::error("it {{}}"); }), "bowline: it {}\n");
}

TEST_F(Log, IsSilentBelowTheLevel) {
  EXPECT_EQ(errors_of([] { log::info("not told"); }), "");
  set_level(0);
  EXPECT_EQ(errors_of([] { log::warning("not told"); }), "");
  EXPECT_EQ(errors_of([] { log::error("told"); }), "bowline: told\n");
  set_level(2);
  EXPECT_EQ(errors_of([] { log::info("told"); }), "bowline: told\n");
}

// Last: the identity stays for the rest of the process. ctest runs each test in a process of its own.
TEST_F(Log, ZSaysWhoIsTalking) {
  log::set_identity(7, "node12");
  EXPECT_EQ(errors_of([] { log::error("x"); }), "bowline: rank 7 on node12: x\n");
}

}  // namespace
}  // namespace bowline

// SPDX-License-Identifier: BSD-3-Clause
// proto/memory_shortage: how long a shortage of memory may last.
#include "proto/memory_shortage.hpp"

#include <gtest/gtest.h>

namespace bowline::proto {
namespace {

using std::chrono::milliseconds;

TEST(MemoryShortage, LastsTenSecondsOfFailedRequests) {
  MemoryShortage shortage;
  const auto begin = MemoryShortage::Clock::time_point(std::chrono::hours(1));
  for (milliseconds passed{0}; passed < MemoryShortage::longest; passed += milliseconds(100))
    ASSERT_TRUE(shortage.may_end(begin + passed)) << passed.count();
  EXPECT_FALSE(shortage.may_end(begin + MemoryShortage::longest));
}

TEST(MemoryShortage, EndsWithAPause) {
  MemoryShortage shortage;
  auto now = MemoryShortage::Clock::time_point(std::chrono::hours(1));
  for (int requests = 0; requests < 100; ++requests) {
    ASSERT_TRUE(shortage.may_end(now));
    now += MemoryShortage::pause + milliseconds(1);
  }
}

}  // namespace
}  // namespace bowline::proto

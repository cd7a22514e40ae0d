// SPDX-License-Identifier: BSD-3-Clause
// proto/memory_shortage: how long a shortage of memory may last.
#include "proto/memory_shortage.hpp"

#include <gtest/gtest.h>

#include <new>

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

TEST(MemoryShortage, IsNotEndedByARequestThatSucceeds) {
  MemoryShortage shortage;
  const auto now = MemoryShortage::Clock::now();
  for (auto then = now - MemoryShortage::longest; then <= now; then += milliseconds(100)) shortage.may_end(then);
  EXPECT_EQ(shortage.with_memory([] { return 7; }), 7);
  EXPECT_THROW(shortage.with_memory([] { throw std::bad_alloc(); }), std::bad_alloc);
}

}  // namespace
}  // namespace bowline::proto

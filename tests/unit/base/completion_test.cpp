// SPDX-License-Identifier: BSD-3-Clause
// base/completion: a flag is a truth value, and publishes what was written before it was set.
#include "base/completion.hpp"

#include <gtest/gtest.h>

#include <array>
#include <thread>

namespace bowline {
namespace {

TEST(Flag, IsFalseUntilItIsSet) {
  Flag flag;
  EXPECT_FALSE(flag);
  flag = true;
  EXPECT_TRUE(flag);
  flag = false;
  EXPECT_FALSE(flag);
  EXPECT_TRUE(Flag(true));
}

TEST(Completion, BeginsOpenAndWithoutAWaiter) {
  const Completion completion;
  EXPECT_FALSE(completion.done);
  EXPECT_FALSE(completion.waiter);
}

TEST(ThreadsFlag, WhoSeesItSetSeesWhatWasWrittenBefore) {
  for (int round = 0; round < 200; ++round) {
    std::array<int, 64> data{};  // not atomic: the flag orders the accesses
    Flag written;
    std::thread writer([&] {
      data.fill(round + 1);
      written = true;
    });
    while (!written) std::this_thread::yield();
    for (const int value : data) ASSERT_EQ(value, round + 1);
    writer.join();
  }
}

}  // namespace
}  // namespace bowline

// SPDX-License-Identifier: BSD-3-Clause
// runtime/found_loss: one sentence, from whichever thread finds the first loss.
#include "runtime/found_loss.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>

namespace bowline::runtime {
namespace {

using namespace std::chrono_literals;

TEST(FoundLoss, KeepsTheFirstSentenceUntilItIsForgotten) {
  FoundLoss loss;
  EXPECT_FALSE(loss.older_than(0s));
  EXPECT_EQ(loss.why(), "");
  loss.record("rank 1 is lost");
  loss.record("rank 2 is lost");
  EXPECT_EQ(loss.why(), "rank 1 is lost");
  EXPECT_TRUE(loss.older_than(0s));
  EXPECT_FALSE(loss.older_than(1h));
  loss.forget();
  EXPECT_FALSE(loss.older_than(0s));
}

TEST(ThreadsFoundLoss, AThreadThatWaitsSeesAWholeSentence) {
  const std::string longer_than_a_short_string(100, 'x');
  FoundLoss loss;
  std::thread finder([&] { loss.record(longer_than_a_short_string.c_str()); });
  while (!loss.older_than(0s)) std::this_thread::yield();
  EXPECT_EQ(loss.why(), longer_than_a_short_string);
  finder.join();
}

}  // namespace
}  // namespace bowline::runtime

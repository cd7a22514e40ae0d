// SPDX-License-Identifier: BSD-3-Clause
// proto/coroutines: who is resumed, when, and in which order.
#include "proto/coroutines.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <coroutine>
#include <exception>
#include <vector>

namespace bowline::proto {
namespace {

/// A coroutine that writes its number into a list whenever it is resumed.
struct Resumed {
  struct promise_type {
    Resumed get_return_object() noexcept { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
  ~Resumed() { handle.destroy(); }
};

Resumed note(std::vector<int>& order, int number) {
  order.push_back(number);
  co_return;
}

class CoroutinesTest : public testing::Test {
 protected:
  RequestStore requests;
  Coroutines coroutines{requests};
  std::vector<int> order;
};

TEST_F(CoroutinesTest, OneRoundResumesAllThatAreReadyInTheirOrder) {
  const Resumed first = note(order, 1), second = note(order, 2);
  coroutines.resume_later(second.handle);
  coroutines.resume_later(first.handle);
  EXPECT_TRUE(coroutines.any_to_resume());
  EXPECT_TRUE(coroutines.resume());
  EXPECT_EQ(order, (std::vector{2, 1}));
  EXPECT_FALSE(coroutines.any());
  EXPECT_FALSE(coroutines.resume());
}

TEST_F(CoroutinesTest, OneThatBecomesReadyInARoundWaitsForTheNext) {
  const Resumed later = note(order, 2);
  const Resumed now = [](Coroutines& all, std::coroutine_handle<> next, std::vector<int>& noted) -> Resumed {
    all.resume_later(next);
    noted.push_back(1);
    co_return;
  }(coroutines, later.handle, order);
  coroutines.resume_later(now.handle);
  EXPECT_TRUE(coroutines.resume());
  EXPECT_EQ(order, std::vector{1});
  EXPECT_TRUE(coroutines.resume());
  EXPECT_EQ(order, (std::vector{1, 2}));
}

TEST_F(CoroutinesTest, AWatchWaitsUntilItsWordReachesTheValueOrFails) {
  const Resumed reached = note(order, 1), failed = note(order, 2);
  std::atomic<std::uint64_t> word{3};
  Watch waits(word, 4, {}), fails(word, 9, {});
  waits.waiter = reached.handle;
  fails.waiter = failed.handle;
  coroutines.add(waits);
  coroutines.add(fails);
  EXPECT_FALSE(coroutines.resume());
  EXPECT_FALSE(coroutines.resume_one_reached());
  word = 4;
  EXPECT_TRUE(coroutines.any_to_resume());
  EXPECT_TRUE(coroutines.resume_one_reached());
  EXPECT_EQ(order, std::vector{1});
  fails.failure = Failure::of([] { return Error(ErrorClass::proc_failed, "gone"); });
  EXPECT_FALSE(coroutines.resume_one_reached());  // the word has not reached its value
  EXPECT_TRUE(coroutines.resume());
  EXPECT_EQ(order, (std::vector{1, 2}));
  EXPECT_FALSE(coroutines.any_watch());
}

TEST_F(CoroutinesTest, TheNoticeOfAWatchIsTakenDownWhenItsWordIsReached) {
  const Resumed reached = note(order, 1);
  std::atomic<std::uint64_t> word{0};
  std::atomic<std::uint32_t> mine{0}, all{0};
  Watch watch(word, 1, {&mine, &all});
  watch.waiter = reached.handle;
  coroutines.add(watch);
  coroutines.put_up_notices();
  EXPECT_EQ(all, 1u);
  word = 1;
  coroutines.resume();
  EXPECT_EQ(mine, 0u);
  EXPECT_EQ(all, 0u);
}

}  // namespace
}  // namespace bowline::proto

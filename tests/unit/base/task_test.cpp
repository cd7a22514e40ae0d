// SPDX-License-Identifier: BSD-3-Clause
// base/task: laziness, nesting, exceptions, ownership, and frames that are recycled.
#include "base/task.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "support/allocations.hpp"

namespace bowline {
namespace {

/// Suspends whoever awaits it and keeps the handle.
struct Gate {
  std::coroutine_handle<> waiter;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) noexcept { waiter = handle; }
  void await_resume() const noexcept {}
  void open() { std::exchange(waiter, nullptr).resume(); }
};

Task append(std::string& log, const char* text) {
  log += text;
  co_return;
}

Task pass(Gate& gate, std::string& log) {
  log += "a";
  co_await gate;
  log += "b";
  co_await gate;
  log += "c";
}

Task descend(int depth, Gate& gate) {
  if (depth == 0) {
    co_await gate;
    co_return;
  }
  Task inner = descend(depth - 1, gate);
  co_await inner;
}

Task fail() {
  throw std::runtime_error("from below");
  co_return;
}

TEST(Task, WithoutACoroutineIsDone) {
  Task task;
  EXPECT_TRUE(task.done());
  task.start();
  task.result();
  const auto await = [](Task inner, std::string& log) -> Task {
    co_await inner;
    log += "went on";
  };
  std::string log;
  Task outer = await({}, log);
  outer.start();
  EXPECT_TRUE(outer.done());
  EXPECT_EQ(log, "went on");
}

TEST(Task, DoesNothingBeforeItIsStarted) {
  std::string log;
  Task task = append(log, "ran");
  EXPECT_EQ(log, "");
  task.start();
  EXPECT_EQ(log, "ran");
  EXPECT_TRUE(task.done());
}

TEST(Task, StopsAndGoesOnWhereItWaits) {
  std::string log;
  Gate gate;
  Task task = pass(gate, log);
  task.start();
  EXPECT_EQ(log, "a");
  EXPECT_FALSE(task.done());
  gate.open();
  EXPECT_EQ(log, "ab");
  EXPECT_FALSE(task.done());
  gate.open();
  EXPECT_EQ(log, "abc");
  EXPECT_TRUE(task.done());
}

Task in_sequence(std::string& log) {
  Task one = append(log, "1");
  Task two = append(log, "2");
  co_await two;
  co_await one;
  log += "3";
}

TEST(Task, InnerTasksRunWhenTheyAreAwaited) {
  std::string log;
  Task task = in_sequence(log);
  task.start();
  EXPECT_EQ(log, "213");
}

TEST(Task, DeepNestingEndsThroughEveryLevel) {
  Gate gate;
  Task task = descend(2000, gate);
  task.start();
  EXPECT_FALSE(task.done());
  gate.open();
  EXPECT_TRUE(task.done());
}

Task pass_on_failure() {
  Task inner = fail();
  co_await inner;
}

Task survive_failure(std::string& log) {
  Task inner = fail();
  try {
    co_await inner;
  } catch (const std::runtime_error& error) {
    log = error.what();
  }
}

TEST(Task, ExceptionsTravelToTheAwaiterAndToTheResult) {
  Task task = pass_on_failure();
  task.start();
  ASSERT_TRUE(task.done());
  EXPECT_THROW(task.result(), std::runtime_error);
  std::string log;
  Task survivor = survive_failure(log);
  survivor.start();
  ASSERT_TRUE(survivor.done());
  EXPECT_NO_THROW(survivor.result());
  EXPECT_EQ(log, "from below");
}

Task hold(std::shared_ptr<int> value, Gate& gate) {
  co_await gate;
  ++*value;
}

TEST(Task, DestroyingAnUnfinishedTaskDropsWhatItHolds) {
  const auto value = std::make_shared<int>(0);
  Gate gate;
  {
    Task task = hold(value, gate);
    task.start();
    EXPECT_EQ(value.use_count(), 2);
  }
  EXPECT_EQ(value.use_count(), 1);
  EXPECT_EQ(*value, 0);
}

TEST(Task, MovesItsFrame) {
  std::string log;
  Gate gate;
  Task task = pass(gate, log);
  task.start();
  Task other = std::move(task);
  gate.open();
  gate.open();
  EXPECT_TRUE(other.done());
  Task third = append(log, "!");
  third = std::move(other);
  EXPECT_TRUE(third.done());
  EXPECT_EQ(log, "abc");
}

TEST(Task, FramesAreRecycledWithoutAllocating) {
  Gate gate;
  const auto round = [&] {
    Task task = descend(20, gate);
    task.start();
    gate.open();
    EXPECT_TRUE(task.done());
  };
  round();
  const std::size_t before = test::allocations();
  for (int i = 0; i < 100; ++i) round();
  EXPECT_EQ(test::allocations(), before);
}

Task hold_much(Gate& gate, long& sum) {
  volatile char space[8000];  // beyond the largest size class
  for (int i = 0; i < 8000; ++i) space[i] = 1;
  co_await gate;
  for (int i = 0; i < 8000; ++i) sum += space[i];
}

TEST(Task, FramesBeyondTheSizeClassesWork) {
  Gate gate;
  long sum = 0;
  for (int i = 0; i < 3; ++i) {
    Task task = hold_much(gate, sum);
    task.start();
    gate.open();
  }
  EXPECT_EQ(sum, 3 * 8000);
}

// ---- coroutines that nobody waits for

Background log_in_background(std::shared_ptr<int> value, Gate& gate, std::string& log) {
  log += "a";
  co_await gate;
  log += "b";
  ++*value;
}

TEST(Background, RunsAtOnceAndGoesWhenItEnds) {
  const auto value = std::make_shared<int>(0);
  Gate gate;
  std::string log;
  log_in_background(value, gate, log);
  EXPECT_EQ(log, "a") << "it starts without being asked";
  EXPECT_EQ(value.use_count(), 2) << "it lives although nobody holds it";
  gate.open();
  EXPECT_EQ(log, "ab");
  EXPECT_EQ(*value, 1);
  EXPECT_EQ(value.use_count(), 1) << "its frame is still there";
}

Background run_in_background(Task task, bool& ended) {
  co_await task;
  ended = true;
}

TEST(Background, CarriesATaskToItsEnd) {
  Gate gate;
  bool ended = false;
  run_in_background(descend(10, gate), ended);
  EXPECT_FALSE(ended);
  gate.open();
  EXPECT_TRUE(ended);
}

TEST(Background, FramesAreRecycledWithoutAllocating) {
  Gate gate;
  bool ended = false;
  const auto round = [&] {
    run_in_background(descend(1, gate), ended);
    gate.open();
  };
  round();
  const std::size_t before = test::allocations();
  for (int i = 0; i < 100; ++i) round();
  EXPECT_EQ(test::allocations(), before);
}

TEST(ThreadsTask, AFrameMayEndOnAnotherThread) {
  for (int round = 0; round < 50; ++round) {
    std::string log;
    Gate gate;
    Task task = pass(gate, log);
    task.start();
    std::thread([&gate, moved = std::move(task)] {
      gate.open();
      gate.open();
      EXPECT_TRUE(moved.done());
    }).join();
    EXPECT_EQ(log, "abc");
  }
}

}  // namespace
}  // namespace bowline

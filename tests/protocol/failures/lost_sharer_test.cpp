// SPDX-License-Identifier: BSD-3-Clause
// Words in shared memory that a process would have moved on which has ended: who waits for them goes on with an error.
#include <gtest/gtest.h>

#include <atomic>
#include <coroutine>
#include <cstdint>
#include <set>
#include <string>

#include "base/task.hpp"
#include "lost_peer.hpp"
#include "proto/watch.hpp"

namespace bowline::proto {
namespace {

/// Members are world ranks.
struct Team final : Sharers {
  int process(int member) const noexcept override { return member; }
  bool ended(int member) noexcept override { return gone.contains(member); }
  std::set<int> gone;
};

struct Watching {
  Engine& engine;
  Watch& watch;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiter) {
    watch.waiter = waiter;
    engine.watch(watch);
  }
  void await_resume() const noexcept {}
};

Task wait_for(Engine& engine, Watch& watch) {
  Watching watching{engine, watch};
  co_await watching;
}

class LostSharer : public LostPeer {
 protected:
  LostSharer() {
    device.refuse = nullptr;
    device.lost = false;
    watch.sharers = &team;
    watch.member = 1;
  }
  void check_liveness() {
    for (int i = 0; i < 10'000; ++i) engine.liveness().rested(false);
  }
  void expect_failed(const Watch& failed) {
    ASSERT_NE(failed.failure, nullptr);
    EXPECT_EQ(failed.failure->error_class(), ErrorClass::proc_failed);
    EXPECT_EQ(failed.failure->lost(), 1);
    EXPECT_NE(std::string(failed.failure->what()).find("rank 1"), std::string::npos) << failed.failure->what();
  }
  std::atomic<std::uint64_t> word = 0;
  Team team;
  Watch watch{word, 1, {}};
};

TEST_F(LostSharer, OneThatWasTalkedToIsNoticed) {
  engine.send(1, header(0, 7), buffer(data));
  device.only_lost = 1;
  team.gone.insert(1);
  Task task = wait_for(engine, watch);
  task.start();
  engine.wait_until([&] { return task.done(); }, {});
  expect_failed(watch);
}

TEST_F(LostSharer, OneThatWasNotIsNoticedWithoutContact) {
  team.gone.insert(1);
  Task task = wait_for(engine, watch);
  task.start();
  engine.wait_until([&] { return task.done(); }, {});
  expect_failed(watch);
  EXPECT_EQ(device.connections, 0);
  EXPECT_THROW(engine.send(1, header(0, 7), buffer(data)), Error);  // it does not try to reach it either
}

TEST_F(LostSharer, FailsLaterWaitsAtOnce) {
  team.gone.insert(1);
  Task task = wait_for(engine, watch);
  task.start();
  engine.wait_until([&] { return task.done(); }, {});
  Watch later{word, 1, {}};
  later.sharers = &team;
  later.member = 1;
  Task second = wait_for(engine, later);
  second.start();
  engine.progress();
  EXPECT_TRUE(second.done());
  expect_failed(later);
}

TEST_F(LostSharer, WhatItWroteBeforeItsEndCounts) {
  team.gone.insert(1);
  Task task = wait_for(engine, watch);
  task.start();
  word = 1;
  check_liveness();
  engine.wait_until([&] { return task.done(); }, {});
  EXPECT_EQ(watch.failure, nullptr);
}

TEST_F(LostSharer, OthersAreWaitedFor) {
  team.gone.insert(1);
  watch.member = 2;
  Task task = wait_for(engine, watch);
  task.start();
  check_liveness();
  engine.progress();
  EXPECT_FALSE(task.done());
  word = 1;
  engine.progress();
  EXPECT_TRUE(task.done());
  EXPECT_EQ(watch.failure, nullptr);
}

}  // namespace
}  // namespace bowline::proto

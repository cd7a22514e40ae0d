// SPDX-License-Identifier: BSD-3-Clause
// Lanes: engines side by side. Who waits in one keeps the others moving, sleeps only when nothing is left to do, and is
// woken when another thread has found something.
#include "proto/lanes.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>

#include "fake_sleeper.hpp"
#include "recording.hpp"

namespace bowline::proto {
namespace {

std::uint32_t context_of(unsigned lane) {
  return make_context(1, lane, Purpose::point_to_point);
}

struct Lane {
  explicit Lane(Lanes& lanes, WaitPolicy policy)
      : engine(
            4, [this](int rank) { return device.connect(rank, {}); }, policy, lock, &lanes) {
    engine.add_device(device);
    lanes.add(engine);
  }
  Request& ireceive(unsigned lane, Bytes& data) {
    return engine.ireceive({context_of(lane), 1, 7}, {data.data(), data.size(), &dtype::byte_type()});
  }
  void deliver(unsigned lane, const Bytes& data) {
    device.deliver(1, {.context = context_of(lane), .source = 1, .tag = 7}, data);
  }
  RecordingDevice device;
  OwnerLock lock;
  Engine engine;
};

class LanesTest : public testing::Test {
 protected:
  FakeSleeper sleeper;
  Lanes lanes{&sleeper};
  Lane one{lanes, WaitPolicy{}};
  Lane two{lanes, WaitPolicy{}};
  Bytes data = pattern(10);
};

TEST_F(LanesTest, AContextNamesItsLane) {
  ASSERT_EQ(lanes.count(), 2U);
  EXPECT_EQ(&lanes.of(context_of(0)), &one.engine);
  EXPECT_EQ(&lanes.of(context_of(1)), &two.engine);
  EXPECT_EQ(&lanes.of(make_context(9, 1, Purpose::collective)), &two.engine);
}

TEST_F(LanesTest, ProgressMovesAllLanesButTheGivenOne) {
  Bytes first(10), second(10);
  Request& a = one.ireceive(0, first);
  Request& b = two.ireceive(1, second);
  one.deliver(0, data);
  two.deliver(1, data);
  EXPECT_EQ(lanes.progress(&one.engine), 1U);
  EXPECT_FALSE(a.done);
  EXPECT_TRUE(b.done);
  EXPECT_EQ(lanes.progress(), 1U);
  EXPECT_TRUE(a.done);
  one.engine.release(a);
  two.engine.release(b);
}

TEST_F(LanesTest, AWaitInOneLaneMovesTheOther) {
  Bytes first(10), second(10);
  Request& a = one.ireceive(0, first);
  Request& b = two.ireceive(1, second);
  two.deliver(1, data);
  // What lane one waits for comes only when lane two has moved.
  sleeper.meanwhile = [&] {
    if (b.done) one.deliver(0, data);
  };
  one.engine.wait(a);
  EXPECT_TRUE(b.done);
  one.engine.release(a);
  two.engine.release(b);
}

TEST_F(LanesTest, NobodySleepsWhileSomethingCanBeDone) {
  Bytes first(10);
  Request& request = one.ireceive(0, first);
  int rests = 0;
  sleeper.meanwhile = [&] {
    ++rests;
    one.deliver(0, data);
  };
  one.engine.wait(request);
  EXPECT_EQ(rests, 1) << "there was nothing to do, so it slept, once";
  EXPECT_EQ(sleeper.announced, 1);
  one.engine.release(request);

  // A send that waits for room is signalled by nobody.
  two.device.refuse = [](int) { return true; };
  Request& send = two.engine.isend(1, {.context = context_of(1), .tag = 7}, {data.data(), 10, &dtype::byte_type()});
  for (int i = 0; i < 5; ++i) {
    lanes.rest(one.engine, Rest::sleep);
    lanes.rest(Rest::sleep);
  }
  EXPECT_EQ(rests, 1);
  EXPECT_EQ(sleeper.withdrawn, 10);
  two.device.refuse = nullptr;
  two.engine.wait(send);
  two.engine.release(send);
}

TEST_F(LanesTest, WithoutASleeperAWaitGoesOnPolling) {
  Lanes alone;
  Lane lane(alone, WaitPolicy{});
  Bytes target(10);
  Request& request = lane.ireceive(0, target);
  lane.device.script.push_back([&] { lane.deliver(0, data); });
  lane.engine.wait(request);
  EXPECT_EQ(target, data);
  lane.engine.release(request);
}

TEST_F(LanesTest, OneWhoSleepsIsWokenOnlyIfThereIsOne) {
  lanes.wake_sleepers();
  EXPECT_EQ(sleeper.wakes, 0);
  sleeper.meanwhile = [&] { lanes.wake_sleepers(); };
  lanes.rest(Rest::sleep);
  EXPECT_EQ(sleeper.wakes, 1);
  lanes.wake_sleepers();
  EXPECT_EQ(sleeper.wakes, 1);
}

// ---- with threads

class ThreadsLanes : public LanesTest {
 protected:
  ThreadsLanes() {
    one.lock.enable();
    two.lock.enable();
  }
};

TEST_F(ThreadsLanes, ALaneThatAThreadIsInIsLeftAlone) {
  two.deliver(1, data);
  std::atomic<bool> locked{false}, seen{false};
  std::thread owner([&] {
    const LockGuard hold(two.lock);
    locked = true;
    while (!seen) std::this_thread::yield();
  });
  while (!locked) std::this_thread::yield();
  EXPECT_EQ(lanes.progress(), 0U);
  seen = true;
  owner.join();
  EXPECT_EQ(lanes.progress(), 1U);
}

TEST_F(ThreadsLanes, AThreadThatFindsSomethingWakesThoseThatSleep) {
  constexpr int rounds = 50;
  for (int round = 0; round < rounds; ++round) {
    Bytes target(10);
    Request* request = nullptr;
    {
      const LockGuard hold(one.lock);
      request = &one.ireceive(0, target);
    }
    const int before = sleeper.slept;
    std::thread waiter([&] {
      const LockGuard hold(one.lock);
      one.engine.wait(*request);
    });
    while (sleeper.slept == before) std::this_thread::yield();
    {
      const LockGuard hold(one.lock);
      one.deliver(0, data);
      one.engine.progress();
    }
    waiter.join();
    EXPECT_EQ(target, data);
    const LockGuard hold(one.lock);
    one.engine.release(*request);
  }
  EXPECT_EQ(sleeper.lost, 0);
}

TEST_F(ThreadsLanes, ProcessesBecomeKnownWhileThreadsWait) {
  // Each of the two threads waits for a message of a process that is not known yet when it starts to wait.
  constexpr int rounds = 50;
  for (int round = 0, processes = 4; round < rounds; ++round) {
    processes += 100;
    std::atomic<int> waiting{0};
    const auto run = [&](Lane& lane, unsigned index) {
      Bytes target(10);
      const LockGuard hold(lane.lock);
      Request& request =
          lane.engine.ireceive({context_of(index), processes - 1, 7}, {target.data(), 10, &dtype::byte_type()});
      ++waiting;
      lane.engine.wait(request);
      EXPECT_EQ(target, data);
      lane.engine.send(processes - 1, {.context = context_of(index), .tag = 8},
                       {target.data(), 10, &dtype::byte_type()});
      lane.engine.release(request);
    };
    std::thread first(run, std::ref(one), 0);
    std::thread second(run, std::ref(two), 1);
    while (waiting < 2) std::this_thread::yield();
    lanes.grow_to(processes);
    for (Lane* lane : {&one, &two}) {
      const LockGuard hold(lane->lock);
      EXPECT_EQ(lane->device.processes, processes);
      const std::uint32_t context = context_of(lane == &one ? 0 : 1);
      lane->device.deliver(processes - 1, {.context = context, .source = processes - 1, .tag = 7}, data);
      lane->engine.progress();
    }
    first.join();
    second.join();
    EXPECT_EQ(one.device.sent.back().rank, processes - 1);
    EXPECT_EQ(two.device.sent.back().rank, processes - 1);
  }
  EXPECT_EQ(sleeper.lost, 0);
}

TEST_F(ThreadsLanes, WaitersInBothLanesAllEnd) {
  // Each of the two threads gets its message after the other has got one; both sleep and wake each other.
  constexpr int rounds = 100;
  std::atomic<int> turn{0};
  const auto run = [&](Lane& lane, unsigned index) {
    for (int round = 0; round < rounds; ++round) {
      Bytes target(10);
      const LockGuard hold(lane.lock);
      Request& request = lane.ireceive(index, target);
      lane.engine.wait(request);
      EXPECT_EQ(target, data);
      lane.engine.release(request);
      ++turn;
      lanes.wake_sleepers();
    }
  };
  std::thread first(run, std::ref(one), 0);
  std::thread second(run, std::ref(two), 1);
  for (int round = 0; round < rounds; ++round) {
    for (Lane* lane : {&one, &two}) {
      const LockGuard hold(lane->lock);
      lane->deliver(lane == &one ? 0 : 1, data);
      lane->engine.progress();
    }
    while (turn < 2 * (round + 1)) std::this_thread::yield();
  }
  first.join();
  second.join();
  EXPECT_EQ(sleeper.lost, 0);
}

}  // namespace
}  // namespace bowline::proto

// SPDX-License-Identifier: BSD-3-Clause
// A thread that sleeps until a message of its own process arrives is woken by the thread that sends it.
#include <gtest/gtest.h>

#include <thread>

#include "fake_sleeper.hpp"
#include "proto/lanes.hpp"
#include "recording.hpp"
#include "transport/self.hpp"

namespace bowline::proto {
namespace {

TEST(ThreadsSelf, ASendWakesTheThreadThatWaitsForIt) {
  constexpr int rounds = 50;
  constexpr std::uint32_t context = make_context(1, 0, Purpose::point_to_point);
  FakeSleeper sleeper;
  Lanes lanes(&sleeper);
  transport::SelfDevice device(0, [&] { lanes.wake_sleepers(); });
  OwnerLock lock;
  lock.enable();
  Engine engine(
      1, [&](int rank) { return device.connect(rank, {}); }, WaitPolicy{}, lock, &lanes);
  engine.add_device(device);
  lanes.add(engine);
  for (int round = 0; round < rounds && sleeper.lost == 0; ++round) {
    Bytes sent = pattern(10, static_cast<unsigned>(round)), target(10);
    const int before = sleeper.slept;
    std::thread waiter([&] {
      const LockGuard hold(lock);
      engine.receive({context, 0, 7}, {target.data(), target.size(), &dtype::byte_type()});
    });
    while (sleeper.slept == before) std::this_thread::yield();
    {
      const LockGuard hold(lock);
      engine.send(0, {.context = context, .tag = 7}, {sent.data(), sent.size(), &dtype::byte_type()});
    }
    waiter.join();
    EXPECT_EQ(target, sent);
  }
  EXPECT_EQ(sleeper.lost, 0);
}

}  // namespace
}  // namespace bowline::proto

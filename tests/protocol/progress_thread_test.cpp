// SPDX-License-Identifier: BSD-3-Clause
// The progress thread, with naps so long that it must be told when there is something to do.
#include "proto/progress_thread.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <thread>

#include "fake_sleeper.hpp"
#include "recording.hpp"
#include "transport/self.hpp"

namespace bowline::proto {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// One process, which sends to itself. A message is delivered when somebody polls.
class ThreadsProgress : public testing::Test {
 protected:
  static constexpr std::uint32_t context = make_context(1, 0, Purpose::point_to_point);

  ThreadsProgress() {
    lock.enable();
    engine.add_device(device);
    lanes.add(engine);
    thread.emplace(lanes, 1h);
  }
  Request& begin_to_receive() { return engine.ireceive({context, 0, 7}, buffer(target)); }
  void send() { engine.send(0, {.context = context, .tag = 7}, buffer(sent)); }
  /// Stays in the lane for longer than the thread has patience with it, without a sleep.
  void stay() {
    const auto until = Clock::now() + 20ms;
    engine.wait_until([&] { return Clock::now() > until; });
  }
  /// Whether the thread ends it, while this one calls nothing.
  static bool ends(const Request& request) {
    const auto until = Clock::now() + 20s;
    while (!request.done && Clock::now() < until) std::this_thread::sleep_for(100us);
    return request.done;
  }
  static Buffer buffer(Bytes& bytes) { return {bytes.data(), bytes.size(), &dtype::byte_type()}; }

  Bytes sent = pattern(10);
  Bytes target = Bytes(10);
  FakeSleeper sleeper;
  Lanes lanes{&sleeper};
  transport::SelfDevice device{0, [this] { lanes.wake_sleepers(); }};
  OwnerLock lock;
  Engine engine{1, [this](int rank) { return device.connect(rank, {}); }, WaitPolicy{.spins = 1U << 31}, lock, &lanes};
  std::optional<ProgressThread> thread;
};

TEST_F(ThreadsProgress, ItEndsWhatHasBegun) {
  for (int round = 0; round < 20 && !HasFailure(); ++round) {
    Request* request = nullptr;
    {
      const LockGuard hold(lock);
      request = &begin_to_receive();
      ProgressThread::operation_begun();
      send();
    }
    EXPECT_TRUE(ends(*request)) << "round " << round;
    const LockGuard hold(lock);
    engine.retire(*request);
  }
  EXPECT_EQ(target, sent);
}

TEST_F(ThreadsProgress, ItTakesOverWhatACallLeavesThatHasStayed) {
  for (int round = 0; round < 5 && !HasFailure(); ++round) {
    Request* request = nullptr;
    {
      const LockGuard hold(lock);
      request = &begin_to_receive();
      ProgressThread::operation_begun();
      stay();
      send();
    }
    EXPECT_TRUE(ends(*request)) << "round " << round;
    const LockGuard hold(lock);
    engine.retire(*request);
  }
}

TEST_F(ThreadsProgress, ItTakesOverWhatBeginsWhereACallHasStayed) {
  for (int round = 0; round < 5 && !HasFailure(); ++round) {
    Request* request = nullptr;
    {
      const LockGuard hold(lock);
      stay();
      request = &begin_to_receive();
      ProgressThread::operation_begun();
      send();
    }
    EXPECT_TRUE(ends(*request)) << "round " << round;
    const LockGuard hold(lock);
    engine.retire(*request);
  }
}

TEST_F(ThreadsProgress, ItEndsWhileItStandsBack) {
  const LockGuard hold(lock);
  stay();
}

}  // namespace
}  // namespace bowline::proto

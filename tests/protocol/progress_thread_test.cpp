// SPDX-License-Identifier: BSD-3-Clause
// The progress thread, with naps so long that one sees whether it is told when there is something to do.
#include "proto/progress_thread.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string_view>
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
  static constexpr std::chrono::milliseconds nap{2000};
  // Of the rounds at most, and that many are enough: where the kernel keeps the caller from its core for a moment, the
  // thread takes it for a call that stays, and naps once more.
  static constexpr int rounds = 10, enough = 3;
  static constexpr std::uint32_t context = make_context(1, 0, Purpose::point_to_point);

  explicit ThreadsProgress(bool can_sleep = true, transport::Device* network = nullptr)
      : lanes(can_sleep ? &sleeper : nullptr) {
    lock.enable();
    engine.add_device(device);
    if (network != nullptr) engine.add_device(*network);
    lanes.add(engine);
    thread.emplace(lanes, nap);
  }
  Request& begin_to_receive(int tag = 7) { return engine.ireceive({context, 0, tag}, buffer(target)); }
  void send(int tag = 7) { engine.send(0, {.context = context, .tag = tag}, buffer(sent)); }
  /// Stays in the lane for longer than the thread has patience with it, without a sleep.
  void stay() {
    const auto until = Clock::now() + 20ms;
    engine.wait_until([&] { return Clock::now() > until; }, {});
  }
  /// Whether the thread ends it before a nap is over, while this one calls nothing.
  static bool ends_soon(const Request& request) {
    const auto began = Clock::now();
    while (!request.done && Clock::now() < began + 10 * nap) std::this_thread::sleep_for(100us);
    EXPECT_TRUE(request.done);
    return Clock::now() - began < nap / 2;
  }
  /// What a call does in the lane, which leaves a request; in how many of the rounds the thread ends that soon.
  template <class Call>
  int rounds_soon(Call call) {
    int soon = 0;
    for (int round = 0; round < rounds && soon < enough; ++round) {
      Request* request = nullptr;
      {
        const LockGuard hold(lock);
        request = &call();
      }
      soon += ends_soon(*request) ? 1 : 0;
      const LockGuard hold(lock);
      engine.retire(*request);
    }
    return soon;
  }
  void until_it_dozes(int naps_before) const {
    while (sleeper.slept == naps_before) std::this_thread::yield();
  }
  static Buffer buffer(Bytes& bytes) { return {bytes.data(), bytes.size(), &dtype::byte_type()}; }

  Bytes sent = pattern(10);
  Bytes target = Bytes(10);
  FakeSleeper sleeper;
  Lanes lanes;
  transport::SelfDevice device{0, [] {}};  // its messages wake nobody
  OwnerLock lock;
  Engine engine{1, [this](int rank) { return device.connect(rank, {}); }, WaitPolicy{.spins = 1U << 31}, lock, &lanes};
  std::optional<ProgressThread> thread;
};

TEST_F(ThreadsProgress, ItEndsWhatHasBegun) {
  const int soon = rounds_soon([&]() -> Request& {
    Request& request = begin_to_receive();
    ProgressThread::operation_begun();
    send();
    return request;
  });
  EXPECT_GE(soon, enough);
  EXPECT_EQ(target, sent);
}

TEST_F(ThreadsProgress, ItTakesOverWhatACallLeavesThatHasStayed) {
  const int soon = rounds_soon([&]() -> Request& {
    Request& request = begin_to_receive();
    ProgressThread::operation_begun();
    stay();
    send();
    return request;
  });
  EXPECT_GE(soon, enough);
}

TEST_F(ThreadsProgress, ItTakesOverWhatBeginsWhereACallHasStayed) {
  const int soon = rounds_soon([&]() -> Request& {
    stay();
    Request& request = begin_to_receive();
    ProgressThread::operation_begun();
    send();
    return request;
  });
  EXPECT_GE(soon, enough);
}

TEST_F(ThreadsProgress, ItGetsUpForWhatBeginsWhileItDozes) {
  Request* lasting = nullptr;
  {
    const LockGuard hold(lock);
    lasting = &begin_to_receive(8);
    ProgressThread::operation_begun();
  }
  int naps = 0;
  const int soon = rounds_soon([&]() -> Request& {
    lock.release();
    until_it_dozes(naps);
    lock.acquire();
    naps = sleeper.slept;
    Request& request = begin_to_receive();
    ProgressThread::operation_begun();
    send();
    return request;
  });
  EXPECT_GE(soon, enough);
  const LockGuard hold(lock);
  send(8);
  engine.wait(*lasting);
  engine.retire(*lasting);
}

TEST_F(ThreadsProgress, ItGetsUpWhereACallHasWaitedWhileItDozes) {
  // The call takes down all notices when it has slept, this thread's too.
  int naps = 0;
  const int soon = rounds_soon([&]() -> Request& {
    Request& request = begin_to_receive();
    ProgressThread::operation_begun();
    lock.release();
    until_it_dozes(naps);
    lock.acquire();
    naps = sleeper.slept;
    stay();
    send();
    return request;
  });
  EXPECT_GE(soon, enough);
}

TEST_F(ThreadsProgress, ItEndsWhileItStandsBack) {
  const LockGuard hold(lock);
  stay();
}

/// As in a process that is alone in its job.
class ThreadsProgressWithoutSleeper : public ThreadsProgress {
 protected:
  ThreadsProgressWithoutSleeper() : ThreadsProgress(false) {}
};

TEST_F(ThreadsProgressWithoutSleeper, NobodyIsWokenWhileItDozes) {
  Request* lasting = nullptr;
  {
    const LockGuard hold(lock);
    lasting = &begin_to_receive();
    ProgressThread::operation_begun();
  }
  const auto until = Clock::now() + 200ms;
  while (Clock::now() < until) lanes.wake_sleepers();
  const LockGuard hold(lock);
  send();
  engine.wait(*lasting);
  engine.retire(*lasting);
}

/// Nobody sends anything over it. It is a network as soon as it has a descriptor.
struct Network final : transport::Device {
  explicit Network(int first) : number(first) {}
  std::string_view name() const override { return "network"; }
  transport::Address address() const override { return {}; }
  std::unique_ptr<transport::Endpoint> connect(int, const transport::Address&) override { return nullptr; }
  unsigned poll(transport::Sink&) noexcept override { return ++polls, 0; }
  int descriptor() const noexcept override { return number; }

  std::atomic<int> number, polls{0};
};

template <int descriptor>
struct HasNetwork {
  Network network{descriptor};
};

template <int descriptor>
class ThreadsProgressOver : protected HasNetwork<descriptor>, public ThreadsProgress {
 protected:
  ThreadsProgressOver() : ThreadsProgress(true, &this->network) {}
  void await_naps(int count) const {
    while (sleeper.slept < count && Clock::now() < limit) std::this_thread::yield();
    ASSERT_GE(sleeper.slept, count);
  }
  /// Until the thread polls no more.
  void await_rest() const {
    for (int polls = -1; polls != this->network.polls && Clock::now() < limit;) {
      polls = this->network.polls;
      std::this_thread::sleep_for(20ms);
    }
    ASSERT_EQ(sleeper.slept, 0);
  }

  const Clock::time_point limit = Clock::now() + 10s;
};
using ThreadsProgressOnSeveralNodes = ThreadsProgressOver<0>;
using ThreadsProgressOnOneNode = ThreadsProgressOver<-1>;

TEST_F(ThreadsProgressOnSeveralNodes, ItAnswersPeersAlthoughNothingHasBegun) {
  await_naps(1);
  const int polls = network.polls;
  sleeper.wake();
  await_naps(2);
  EXPECT_GT(network.polls, polls);
}

TEST_F(ThreadsProgressOnOneNode, ItAnswersPeersOverANetworkThatComesLater) {
  await_rest();
  network.number = 0;
  ProgressThread::network_added();
  await_naps(1);
}

}  // namespace
}  // namespace bowline::proto

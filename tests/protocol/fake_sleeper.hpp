// SPDX-License-Identifier: BSD-3-Clause
// A way to sleep that tests control: threads sleep until they are woken, and wake-ups that get lost are counted.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>

#include "transport/transport.hpp"

namespace bowline::proto {

/// Sleeps until it is woken, counts, and does what a test wants done between announcing and sleeping.
class FakeSleeper final : public transport::Sleeper {
 public:
  void announce() noexcept override {
    ++announced;
    const std::lock_guard hold(mutex_);
    announced_at() = wakes_so_far_;
  }
  void withdraw() noexcept override { ++withdrawn; }
  void sleep(int) noexcept override {
    ++slept;
    if (meanwhile) return meanwhile();
    std::unique_lock hold(mutex_);
    // In vain if nobody wakes it: then it was a lost wake-up, and the test says so.
    if (!wake_.wait_for(hold, std::chrono::seconds(20), [this] { return wakes_so_far_ != announced_at(); })) ++lost;
  }
  void wake() noexcept override {
    ++wakes;
    {
      const std::lock_guard hold(mutex_);
      ++wakes_so_far_;
    }
    wake_.notify_all();
  }

  std::function<void()> meanwhile;
  std::atomic<int> announced{0}, withdrawn{0}, slept{0}, wakes{0}, lost{0};

 private:
  /// How many wake-ups this thread has seen: those after its announcement count.
  static std::uint64_t& announced_at() {
    thread_local std::uint64_t number = 0;
    return number;
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::uint64_t wakes_so_far_ = 0;
};

}  // namespace bowline::proto

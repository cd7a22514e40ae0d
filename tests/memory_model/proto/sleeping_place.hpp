// SPDX-License-Identifier: BSD-3-Clause
// A place where threads sleep, which orders nothing by itself: as an inbox where the kernel offers no fences.
#pragma once

#include "base/kernel_waits.hpp"
#include "transport/transport.hpp"

namespace bowline::proto {

class SleepingPlace final : public transport::Sleeper {
 public:
  void announce() noexcept override { asleep_.store(1, std::memory_order_relaxed); }
  void withdraw() noexcept override { asleep_.store(0, std::memory_order_relaxed); }
  void sleep(int milliseconds) noexcept override {
    futex_wait(asleep_, 1, milliseconds);
    withdraw();
  }
  void wake() noexcept override {
    asleep_.store(0, std::memory_order_relaxed);
    futex_wake(asleep_);
  }

 private:
  Atomic<std::uint32_t> asleep_{0};
};

}  // namespace bowline::proto

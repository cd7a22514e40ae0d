// SPDX-License-Identifier: BSD-3-Clause
// Stands in for src/proto/engine.hpp: the engine of one lane, whose operations end when an event has come.
#pragma once

#include "base/flag.hpp"
#include "base/lock.hpp"
#include "proto/lanes.hpp"
#include "proto/watch.hpp"

namespace bowline::proto {

class Engine {
 public:
  struct Policy {
    bool shared_cores = true;
  };
  class Loop {
   public:
    explicit Loop(Lanes& lanes) : lanes_(lanes) {}
    void wake_sleepers() { lanes_.wake_sleepers(); }
    Policy policy() const { return {}; }

   private:
    Lanes& lanes_;
  };

  explicit Engine(Lanes& lanes) : loop_(lanes) { lock_.enable(); }

  OwnerLock& lock() { return lock_; }
  Loop& loop() { return loop_; }
  void watch(Watch&) {}

  // Under the lock.
  void begin(Flag& done) { begun_ = &done; }
  bool outstanding() const { return begun_ != nullptr; }
  bool anything_ready() const { return begun_ != nullptr && event_.load(std::memory_order_acquire) > taken_; }
  unsigned progress() {
    if (!anything_ready()) return 0;
    ++taken_;
    *std::exchange(begun_, nullptr) = true;
    return 1;
  }

  /// Another process lets the operation end, as a transport does.
  void event() {
    event_.fetch_add(1, std::memory_order_release);
    thread_fence(std::memory_order_seq_cst);
    loop_.wake_sleepers();
  }

 private:
  OwnerLock lock_;
  Loop loop_;
  Flag* begun_ = nullptr;
  int taken_ = 0;
  Atomic<int> event_{0};
};

}  // namespace bowline::proto

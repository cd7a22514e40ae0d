// SPDX-License-Identifier: BSD-3-Clause
// Sleepers: the threads of this process that sleep until another thread or process wakes them. All sleep at one place
// (transport::Sleeper), which one word announces to the other processes.
//
// A thread calls begin() and announce(), looks once more for what it waits for, and then sleeps or withdraws. Another
// thread makes that true, and then calls wake(). Either the first thread sees it, or the second one sees that a thread
// is about to sleep, because each executes a full fence between its write and its look. A thread that calls wake()
// under the lock of a lane needs no fence: the first thread holds that lock while it looks, and releases it before it
// sleeps.
#pragma once

#include "base/atomic.hpp"
#include "transport/transport.hpp"

namespace bowline::proto {

class Sleepers {
 public:
  /// nullptr: threads do not sleep.
  explicit Sleepers(transport::Sleeper* place) noexcept : place_(place) {}

  /// Lets threads sleep at `place` from now on, and wakes those that sleep at the former one.
  void move_to(transport::Sleeper& place) noexcept {
    transport::Sleeper* const before = place_.exchange(&place, std::memory_order_acq_rel);
    if (before != nullptr) before->wake();
  }
  /// Where a thread may sleep now.
  transport::Sleeper* place() const noexcept { return place_.load(std::memory_order_acquire); }

  void begin() noexcept { count_.fetch_add(1, std::memory_order_seq_cst); }
  void announce(transport::Sleeper& place) noexcept {
    place.announce();
    thread_fence(std::memory_order_seq_cst);  // some places announce with a store alone
  }
  void withdraw(transport::Sleeper& place) noexcept {
    place.withdraw();
    end(place);
  }
  void sleep(transport::Sleeper& place, int milliseconds) noexcept {
    place.sleep(milliseconds);
    end(place);
  }

  /// Call after a write for which a thread may wait, and a full fence; or under the lock of the lane.
  void wake() noexcept {
    if (count_.load(std::memory_order_seq_cst) != 0) place()->wake();
  }

 private:
  /// One word announces the sleep of all threads, and it is cleared now. Wakes the threads that still sleep, so that
  /// they announce it again.
  void end(transport::Sleeper& place) noexcept {
    if (count_.fetch_sub(1, std::memory_order_seq_cst) > 1) place.wake();
  }

  Atomic<transport::Sleeper*> place_;
  Atomic<unsigned> count_{0};  ///< threads that sleep or are about to sleep; 0 without a place
};

}  // namespace bowline::proto

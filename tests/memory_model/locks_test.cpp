// SPDX-License-Identifier: BSD-3-Clause
// base/lock and base/spin_lock.
#include "base/cpu_relax.hpp"
#include "base/lock.hpp"
#include "base/spin_lock.hpp"
#include "explore.hpp"

namespace bowline {
namespace {

struct Spinning : model::Suite<Spinning, 3> {
  SpinLock lock;
  model::Plain<int> guarded;

  Spinning() { guarded.set(0); }
  void run(unsigned) {
    for (int i = 0; i < 2; ++i) {
      const std::lock_guard hold(lock);
      guarded.set(guarded.get() + 1);
    }
  }
  void after() { RL_ASSERT(guarded.get() == 6); }
};

TEST(SpinLock, OneThreadAtATime) {
  model::explore<Spinning>(10'000);
}

/// Calls into a lane: one takes the lock twice, as a callback does, one waits and passes the lock on, one only tries.
struct Lane : model::Suite<Lane, 3> {
  OwnerLock lock;
  model::Plain<int> guarded;
  Atomic<int> counted{0};
  bool awaited = false;  ///< guarded by the lock

  Lane() {
    guarded.set(0);
    lock.enable();
  }
  void run(unsigned index) {
    if (index == 0)
      call_back();
    else if (index == 1)
      wait();
    else
      poll();
  }
  void add() {
    guarded.set(guarded.get() + 1);
    counted.fetch_add(1, std::memory_order_relaxed);
  }
  void call_back() {
    const LockGuard call(lock);
    add();
    {
      const LockGuard callback(lock);
      RL_ASSERT(!lock.pass());
      add();
    }
    RL_ASSERT(!lock.nested());
    awaited = true;
    add();
  }
  void wait() {
    const LockGuard call(lock);
    while (!awaited) {
      add();
      if (!lock.pass()) {
        lock.release();
        cpu_relax();
        lock.acquire();
      }
    }
  }
  void poll() {
    for (int i = 0; i < 2; ++i) {
      if (!lock.try_acquire()) continue;
      RL_ASSERT(!lock.try_acquire());
      add();
      lock.release();
    }
  }
  void after() { RL_ASSERT(guarded.get() == counted.load()); }
};

TEST(OwnerLock, OneThreadAtATimeAndItsCallbacks) {
  model::explore<Lane>(20'000);
}

}  // namespace
}  // namespace bowline

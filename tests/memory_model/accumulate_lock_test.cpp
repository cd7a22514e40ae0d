// SPDX-License-Identifier: BSD-3-Clause
// rma/accumulate_lock: accumulates exclude each other, also if a process ends while it holds the lock.
#include "rma/synchronization/accumulate_lock.hpp"

#include <array>
#include <cstddef>
#include <new>

#include "explore.hpp"

namespace bowline::rma {
namespace {

/// Only member 0 may end. The kernel knows.
struct Ends final : Holders {
  bool ended(int member) noexcept override { return member == 0 && over.load(std::memory_order_acquire); }
  Atomic<bool> over{false};
};

/// Members add to a word. `ends`: member 0 ends while it holds the lock.
template <int members, bool ends>
struct Accumulated : model::Suite<Accumulated<members, ends>, members> {
  Atomic<std::uint32_t> word{0};
  Ends holders;
  model::Plain<int> sum;

  Accumulated() { sum.set(0); }
  void run(unsigned me) {
    if (ends && me == 0) return end();
    add(static_cast<int>(me));
    const AccumulateLock hold(&word, static_cast<int>(me), holders);
    RL_ASSERT(sum.get() >= 1 && sum.get() <= members);
  }
  void add(int me) {
    const AccumulateLock hold(&word, me, holders);
    sum.set(sum.get() + 1);
  }
  void end() {
    alignas(AccumulateLock) std::array<std::byte, sizeof(AccumulateLock)> memory;
    new (memory.data()) AccumulateLock(&word, 0, holders);  // nobody gives it back
    sum.set(sum.get() + 1);
    holders.over.store(true, std::memory_order_release);
  }
};

TEST(AccumulateLock, Excludes) {
  model::explore<Accumulated<3, false>>(10'000);
}
TEST(AccumulateLock, PassesOnWhenItsHolderHasEnded) {
  model::explore<Accumulated<2, true>>(200);
}

}  // namespace
}  // namespace bowline::rma

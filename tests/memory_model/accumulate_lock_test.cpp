// SPDX-License-Identifier: BSD-3-Clause
// rma/accumulate_lock: accumulates exclude each other, also if a process ends while it holds the lock.
#include "rma/synchronization/accumulate_lock.hpp"

#include <optional>

#include "explore.hpp"

namespace bowline::rma {
namespace {

/// Members add to a word. `ends`: member 0 ends while it holds the lock.
template <int members, bool ends>
struct Accumulated : model::Suite<Accumulated<members, ends>, members>, Holders {
  Atomic<std::uint32_t> word{0};
  Atomic<bool> over{false};
  model::Plain<int> sum;

  Accumulated() { sum.set(0); }
  void run(unsigned me) {
    std::optional<AccumulateLock> hold(std::in_place, &word, static_cast<int>(me), *this);
    sum.set(sum.get() + 1);
    if (ends && me == 0) {
      over.store(true, std::memory_order_release);
      new (&hold) std::optional<AccumulateLock>;  // nobody releases it
      return;
    }
    hold.reset();
    hold.emplace(&word, static_cast<int>(me), *this);
    RL_ASSERT(sum.get() >= 1 && sum.get() <= members);
  }
  /// The kernel knows.
  bool ended(int member) noexcept override { return ends && member == 0 && over.load(std::memory_order_acquire); }
};

TEST(AccumulateLock, Excludes) {
  model::explore<Accumulated<3, false>>(10'000);
}
TEST(AccumulateLock, PassesOnWhenItsHolderHasEnded) {
  model::explore<Accumulated<2, true>>(200);
}

}  // namespace
}  // namespace bowline::rma

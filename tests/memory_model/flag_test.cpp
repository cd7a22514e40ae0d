// SPDX-License-Identifier: BSD-3-Clause
// base/flag, and the completion of a request that a thread sees without the lock of its lane.
#include "base/flag.hpp"

#include "base/completion.hpp"
#include "base/lock.hpp"
#include "base/spin_lock.hpp"
#include "explore.hpp"

namespace bowline {
namespace {

/// Two readers look at what the writer has announced.
struct Announced : model::Suite<Announced, 3> {
  Flag flag;
  model::Plain<int> what;

  void run(unsigned index) {
    if (index == 0) {
      what.set(7);
      flag = true;
    } else if (flag) {
      RL_ASSERT(what.get() == 7);
    }
  }
};

TEST(Flag, WhoSeesItSetSeesWhatWasWrittenBefore) {
  model::explore_all<Announced>();
}

/// One thread makes progress and completes the operations of both, one after the other, in the same request. The other
/// thread tests for them without the lock, takes the outcome, and starts the next one under the lock.
struct Tested : model::Suite<Tested, 2> {
  static constexpr int operations = 2;

  OwnerLock lane;
  Completion request;
  model::Plain<int> status;
  int started = 0;  ///< guarded by the lock
  int completed = 0;

  Tested() { lane.enable(); }
  void run(unsigned index) { index == 0 ? progress() : test(); }

  void progress() {
    while (completed < operations) {
      const LockGuard hold(lane);
      if (completed == started) {
        cpu_relax();
        continue;
      }
      status.set(++completed);
      request.done = true;
    }
  }
  void test() {
    for (int operation = 1; operation <= operations; ++operation) {
      {
        const LockGuard hold(lane);
        request.done = false;
        started = operation;
      }
      while (!request.done) cpu_relax();
      RL_ASSERT(status.get() == operation);
    }
  }
};

TEST(Completion, WhoSeesItWithoutTheLockSeesTheOutcome) {
  model::explore<Tested>(20'000);
}

}  // namespace
}  // namespace bowline

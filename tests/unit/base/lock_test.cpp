// SPDX-License-Identifier: BSD-3-Clause
// base/lock: exclusion, nesting in one thread, passing the lock on, and doing nothing while disabled.
#include "base/lock.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace bowline {
namespace {

TEST(Lock, DisabledItDoesNothing) {
  OwnerLock lock;
  EXPECT_FALSE(lock.enabled());
  lock.acquire();
  lock.acquire();
  EXPECT_FALSE(lock.nested());
  lock.pass();
  lock.release();
  lock.release();
  lock.release();
}

TEST(Lock, MarksNameThreads) {
  EXPECT_EQ(this_thread_mark(), this_thread_mark());
  const void* other = nullptr;
  std::thread([&] { other = this_thread_mark(); }).join();
  EXPECT_NE(other, nullptr);
  // The other thread has ended, so its mark may have been reused by another new one, but never by this one.
  EXPECT_NE(other, this_thread_mark());
}

TEST(Lock, TheOwnerMayTakeItAgain) {
  OwnerLock lock;
  lock.enable();
  lock.acquire();
  EXPECT_FALSE(lock.nested());
  lock.acquire();
  lock.acquire();
  EXPECT_TRUE(lock.nested());
  lock.release();
  EXPECT_TRUE(lock.nested());
  lock.release();
  EXPECT_FALSE(lock.nested());
  lock.release();
}

TEST(Lock, DisabledEveryAttemptSucceeds) {
  OwnerLock lock;
  EXPECT_TRUE(lock.try_acquire());
  EXPECT_TRUE(lock.try_acquire());
  const LockGuard guard(lock);
  EXPECT_TRUE(lock.try_acquire());
}

TEST(Lock, AnAttemptIsNoWayToTakeItAgain) {
  // Who tries looks after a part of the library that nobody is in: this thread may be in the middle of it.
  OwnerLock lock;
  lock.enable();
  EXPECT_TRUE(lock.try_acquire());
  EXPECT_FALSE(lock.try_acquire());
  EXPECT_FALSE(lock.nested());
  lock.acquire();
  EXPECT_TRUE(lock.nested()) << "what was taken by an attempt has an owner as well";
  lock.release();
  lock.release();
  EXPECT_TRUE(lock.try_acquire());
  lock.release();
}

/// Whether another thread could take the lock; gives it back.
bool free_for_others(OwnerLock& lock) {
  bool taken = false;
  std::thread([&] {
    taken = lock.try_acquire();
    if (taken) lock.release();
  }).join();
  return taken;
}

TEST(ThreadsLock, AnAttemptFailsWhileAnotherThreadHasIt) {
  OwnerLock lock;
  lock.enable();
  EXPECT_TRUE(free_for_others(lock));
  EXPECT_TRUE(lock.try_acquire());
  EXPECT_FALSE(free_for_others(lock));
  lock.release();
  EXPECT_TRUE(free_for_others(lock));
}

TEST(ThreadsLock, AGuardHoldsItUntilItsScopeEndsHoweverThatEnds) {
  OwnerLock lock;
  lock.enable();
  try {
    const LockGuard guard(lock);
    EXPECT_FALSE(free_for_others(lock));
    {
      const LockGuard nested(lock);
      EXPECT_TRUE(lock.nested());
    }
    EXPECT_FALSE(free_for_others(lock));
    throw 1;
  } catch (int) {
    EXPECT_TRUE(free_for_others(lock));
  }
}

TEST(ThreadsLock, AttemptsExcludeEachOther) {
  OwnerLock lock;
  lock.enable();
  constexpr int threads = 4;
  constexpr int rounds = 2000;
  long shared = 0;  // not atomic: the lock protects it
  std::vector<std::thread> workers;
  for (int t = 0; t < threads; ++t) {
    workers.emplace_back([&, trying = t % 2 == 0] {
      for (int i = 0; i < rounds; ++i) {
        if (trying) {
          while (!lock.try_acquire()) std::this_thread::yield();
        } else {
          lock.acquire();
        }
        ++shared;
        lock.release();
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  EXPECT_EQ(shared, static_cast<long>(threads) * rounds);
}

TEST(ThreadsLock, OneThreadAtATime) {
  OwnerLock lock;
  lock.enable();
  constexpr int threads = 4;
  constexpr int rounds = 5000;
  long shared = 0;  // not atomic: the lock protects it
  std::vector<std::thread> workers;
  for (int t = 0; t < threads; ++t) {
    workers.emplace_back([&] {
      for (int i = 0; i < rounds; ++i) {
        lock.acquire();
        lock.acquire();
        ++shared;
        lock.release();
        ++shared;
        lock.release();
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  EXPECT_EQ(shared, 2L * threads * rounds);
}

TEST(ThreadsLock, ANestedReleaseKeepsTheLock) {
  OwnerLock lock;
  lock.enable();
  std::atomic<bool> released{false};
  std::atomic<bool> entered_early{false};
  lock.acquire();
  lock.acquire();
  lock.release();
  std::thread other([&] {
    lock.acquire();
    entered_early = !released;
    lock.release();
  });
  for (int i = 0; i < 100; ++i) std::this_thread::yield();
  released = true;
  lock.release();
  other.join();
  EXPECT_FALSE(entered_early);
}

TEST(ThreadsLock, PassLetsAnotherThreadIn) {
  OwnerLock lock;
  lock.enable();
  lock.acquire();
  bool entered = false;
  std::thread other([&] {
    lock.acquire();
    entered = true;
    lock.release();
  });
  // A loop that waits as the library's calls do; without pass() it would never end.
  while (!entered) lock.pass();
  lock.release();
  other.join();
}

TEST(ThreadsLock, PassKeepsTheLockInANestedCall) {
  OwnerLock lock;
  lock.enable();
  lock.acquire();
  lock.acquire();
  std::atomic<bool> entered{false};
  std::thread other([&] {
    lock.acquire();
    entered = true;
    lock.release();
  });
  for (int i = 0; i < 1000; ++i) lock.pass();
  EXPECT_FALSE(entered);
  lock.release();
  lock.release();
  other.join();
  EXPECT_TRUE(entered);
}

}  // namespace
}  // namespace bowline

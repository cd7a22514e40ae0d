// SPDX-License-Identifier: BSD-3-Clause
#include "rma/synchronization/ticket_lock.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace bowline::rma {
namespace {

bool may_enter(const TicketLock& lock, LockKind kind, std::uint64_t ticket) {
  return lock.word(kind).load(std::memory_order_acquire) >= ticket;
}

void take(TicketLock& lock, LockKind kind) {
  const std::uint64_t ticket = lock.draw();
  while (!may_enter(lock, kind, ticket)) std::this_thread::yield();
  lock.entered(kind, ticket);
}

TEST(TicketLock, AWriterExcludesAll) {
  TicketLock lock;
  take(lock, LockKind::exclusive);
  const std::uint64_t reader = lock.draw(), writer = lock.draw();
  EXPECT_FALSE(may_enter(lock, LockKind::shared, reader));
  EXPECT_FALSE(may_enter(lock, LockKind::exclusive, writer));
  lock.release(LockKind::exclusive);
  EXPECT_TRUE(may_enter(lock, LockKind::shared, reader));
  EXPECT_FALSE(may_enter(lock, LockKind::exclusive, writer));
  lock.entered(LockKind::shared, reader);
  lock.release(LockKind::shared);
  EXPECT_TRUE(may_enter(lock, LockKind::exclusive, writer));
  lock.release(LockKind::exclusive);
  EXPECT_FALSE(lock.in_use());
}

TEST(TicketLock, ReadersInARowEnterTogether) {
  TicketLock lock;
  for (int i = 0; i < 3; ++i) take(lock, LockKind::shared);
  EXPECT_TRUE(lock.in_use());
  for (int i = 0; i < 3; ++i) lock.release(LockKind::shared);
  EXPECT_FALSE(lock.in_use());
}

TEST(TicketLock, AReaderWaitsForAWriterThatCameBefore) {
  TicketLock lock;
  take(lock, LockKind::shared);
  const std::uint64_t writer = lock.draw(), reader = lock.draw();
  EXPECT_FALSE(may_enter(lock, LockKind::exclusive, writer));
  EXPECT_FALSE(may_enter(lock, LockKind::shared, reader));
  lock.release(LockKind::shared);
  EXPECT_TRUE(may_enter(lock, LockKind::exclusive, writer));
  EXPECT_FALSE(may_enter(lock, LockKind::shared, reader));
  lock.release(LockKind::exclusive);
  EXPECT_TRUE(may_enter(lock, LockKind::shared, reader));
}

TEST(ThreadsTicketLock, ReadersSeeWhatWritersWroteTogether) {
  TicketLock lock;
  long first = 0, second = 0;
  const auto work = [&](int number) {
    for (int i = 0; i < 2000; ++i) {
      if ((i + number) % 3 == 0) {
        take(lock, LockKind::exclusive);
        ++first;
        ++second;
        lock.release(LockKind::exclusive);
      } else {
        take(lock, LockKind::shared);
        EXPECT_EQ(first, second);
        lock.release(LockKind::shared);
      }
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back(work, i);
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(first, 2000);
}

}  // namespace
}  // namespace bowline::rma

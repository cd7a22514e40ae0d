// SPDX-License-Identifier: BSD-3-Clause
// Several threads on one fabric: each with a connection of its own, and two on one memory.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "fabric_children.hpp"
#include "station.hpp"

namespace fabric::test {
namespace {

TEST(ThreadsOnAFabric, ConnectionsDoNotDisturbEachOther) {
  in_child({}, [] {
    std::vector<std::thread> threads;
    for (std::uint64_t thread = 0; thread != 3; ++thread) {
      threads.emplace_back([thread] {
        Station one, other;
        connect(one, other);
        Buffer from(one.domain, 8, 0), to(other.domain, 8, IBV_ACCESS_LOCAL_WRITE);
        for (std::uint64_t round = 0; round != 200; ++round) {
          from.word() = round * 3 + thread;
          other.receive(round, to.piece());
          ASSERT_EQ(one.post(IBV_WR_SEND, round, from.piece()), 0);
          EXPECT_EQ(one.next().wr_id, round);
          EXPECT_EQ(other.next().wr_id, round);
          EXPECT_EQ(to.word(), round * 3 + thread);
        }
      });
    }
    for (auto& thread : threads) thread.join();
  });
}

// As a ring does that is written by RDMA and polled in memory.
TEST(ThreadsOnAFabric, TheLastWordOfAWriteArrivesLast) {
  in_child({}, [] {
    Station one, other;
    connect(one, other);
    constexpr std::size_t words = 32;
    constexpr std::uint64_t rounds = 500;
    Buffer from(one.domain, words * 8, 0), to(other.domain, words * 8, every_access);
    std::atomic<std::uint64_t> seen = 0;
    std::thread reader([&] {
      for (std::uint64_t round = 1; round <= rounds; ++round) {
        while (std::atomic_ref(to.word(words - 1)).load(std::memory_order_acquire) != round) std::this_thread::yield();
        for (std::size_t index = 0; index != words; ++index) EXPECT_EQ(to.word(index), round);
        seen.store(round, std::memory_order_release);
      }
    });
    for (std::uint64_t round = 1; round <= rounds; ++round) {
      for (std::size_t index = 0; index != words; ++index) from.word(index) = round;
      ASSERT_EQ(one.post(IBV_WR_RDMA_WRITE, round, from.piece(), to.place()), 0);
      EXPECT_EQ(one.next().status, IBV_WC_SUCCESS);
      while (seen.load(std::memory_order_acquire) != round) std::this_thread::yield();
    }
    reader.join();
  });
}

}  // namespace
}  // namespace fabric::test

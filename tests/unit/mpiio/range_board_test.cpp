// SPDX-License-Identifier: BSD-3-Clause
// mpiio/sharing/range_board: exclusive writers exclude everybody that they overlap, and nobody else.
#include "mpiio/sharing/range_board.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

namespace bowline::mpiio {
namespace {

using Kind = RangeBoard::Access;

/// Memory that forked processes share.
class Shared {
 public:
  explicit Shared(std::size_t bytes) : bytes_(bytes) {
    memory_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  }
  ~Shared() { munmap(memory_, bytes_); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  std::span<std::byte> bytes() const { return {static_cast<std::byte*>(memory_), bytes_}; }

 private:
  std::size_t bytes_;
  void* memory_;
};

TEST(ThreadsRangeBoard, ExclusiveWritersExcludeWhatTheyOverlap) {
  constexpr int processes = 3, rounds = 3000, places = 16;
  const Shared memory(RangeBoard::bytes_for(processes));
  std::array<std::atomic<int>, places> inside{};  // plain writers count 1, exclusive ones 1000
  std::atomic<int> violations{0};
  std::vector<std::thread> threads;
  for (int rank = 0; rank < processes; ++rank) {
    threads.emplace_back([&, rank] {
      RangeBoard board(memory.bytes(), rank, processes);
      std::mt19937 random(static_cast<unsigned>(rank) + 1);
      for (int round = 0; round < rounds; ++round) {
        const auto begin = static_cast<Offset>(random() % places);
        const auto end = begin + 1 + static_cast<Offset>(random() % (places - static_cast<unsigned>(begin)));
        const Kind kind = random() % 3 == 0 ? Kind::exclusive : Kind::plain;
        const RangeBoard::Hold hold(board, {begin, end}, kind);
        const int weight = kind == Kind::exclusive ? 1000 : 1;
        for (Offset at = begin; at < end; ++at) {
          const int before = inside[static_cast<std::size_t>(at)].fetch_add(weight);
          if (kind == Kind::exclusive ? before != 0 : before >= 1000) ++violations;
        }
        for (Offset at = begin; at < end; ++at) inside[static_cast<std::size_t>(at)].fetch_sub(weight);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(violations, 0);
}

TEST(ThreadsRangeBoard, ThreadsOfOneProcessExcludeEachOther) {
  constexpr int rounds = 2000;
  const Shared memory(RangeBoard::bytes_for(1));
  RangeBoard board(memory.bytes(), 0, 1);
  int unguarded = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 10; ++i) {  // more than a process has slots
    threads.emplace_back([&] {
      for (int round = 0; round < rounds; ++round) {
        const RangeBoard::Hold hold(board, {5, 10}, Kind::exclusive);
        ++unguarded;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(unguarded, 10 * rounds);
}

TEST(RangeBoard, DisjointExclusiveWritersDoNotWait) {
  const Shared memory(RangeBoard::bytes_for(2));
  RangeBoard first(memory.bytes(), 0, 2), second(memory.bytes(), 1, 2);
  const RangeBoard::Hold a(first, {0, 10}, Kind::exclusive);
  const RangeBoard::Hold b(second, {10, 20}, Kind::exclusive);
  const RangeBoard::Hold c(first, {20, 30}, Kind::plain);
  const RangeBoard::Hold d(second, {25, 40}, Kind::plain);
  SUCCEED();
}

/// The state of the one exclusive writer: the first word of the line of its slot, which holds the first ticket.
std::atomic<std::uint64_t>* state_of_exclusive(const Shared& memory) {
  constexpr std::uint64_t first_ticket = 3;
  constexpr std::size_t line = 64;
  for (std::size_t at = line; at < memory.bytes().size(); at += line) {  // the first line is the header
    auto* const state = reinterpret_cast<std::atomic<std::uint64_t>*>(memory.bytes().data() + at);
    if (*state == first_ticket) return state;
  }
  return nullptr;
}

// Its ticket may be the lower one. The owner of this slot has ended, so a writer that waits for it clears the slot in
// the end; a writer that does not wait leaves the slot as it is.
TEST(RangeBoard, AnExclusiveWriterWaitsForOneThatHasNotShownItsTicket) {
  constexpr std::uint64_t idle = 0, choosing = 2;
  const Shared memory(RangeBoard::bytes_for(2));
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    RangeBoard board(memory.bytes(), 1, 2);
    const RangeBoard::Hold hold(board, {0, 10}, Kind::exclusive);
    _exit(0);
  }
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  std::atomic<std::uint64_t>* const state = state_of_exclusive(memory);
  ASSERT_NE(state, nullptr);
  *state = choosing;
  RangeBoard board(memory.bytes(), 0, 2);
  const RangeBoard::Hold later(board, {5, 15}, Kind::exclusive);
  EXPECT_EQ(*state, idle);
}

TEST(RangeBoard, WhatAnEndedProcessHeldIsFree) {
  const Shared memory(RangeBoard::bytes_for(2));
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    RangeBoard board(memory.bytes(), 1, 2);
    const RangeBoard::Hold hold(board, {0, 100}, Kind::exclusive);
    _exit(0);
  }
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  RangeBoard board(memory.bytes(), 0, 2);
  const RangeBoard::Hold plain(board, {50, 60}, Kind::plain);
  const RangeBoard::Hold exclusive(board, {60, 70}, Kind::exclusive);
  SUCCEED();
}

}  // namespace
}  // namespace bowline::mpiio

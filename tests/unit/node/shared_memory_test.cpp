// SPDX-License-Identifier: BSD-3-Clause
#include "node/shared_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

using bowline::node::MemoryOffer;
using bowline::node::SharedMemory;
using bowline::node::SharedMemoryPool;

namespace {

constexpr std::size_t reserved = 4096;
constexpr std::size_t unit = 64 * 1024;
constexpr std::size_t most = 4;

bool in_use = false;
bool nobody_uses_it(std::span<std::byte>) noexcept {
  return !in_use;
}

class SharedMemoryTest : public testing::Test {
 protected:
  static SharedMemoryPool::Requirements requirements(std::size_t bytes) {
    return {.bytes = bytes, .reserved = reserved};
  }
  SharedMemory make(std::size_t bytes = 2 * reserved) { return pool.make(requirements(bytes)); }
  SharedMemory open(const SharedMemory& made, std::size_t bytes = 2 * reserved) {
    return pool.open(made.offer(), requirements(bytes));
  }
  static std::span<std::byte> contents(const SharedMemory& memory) {
    return {memory.mapping().data(), memory.mapping().size()};
  }

  // Static, because the list of all measures keeps it.
  static inline bowline::MemoryLevel level{bowline::Category::start, "test_memory", "test_memory_peak", "of a test"};
  SharedMemoryPool pool{"test", level, {.most = most, .unit = unit, .longest = 2 * unit}, nobody_uses_it};
};

TEST_F(SharedMemoryTest, IsCountedUntilItIsFreed) {
  {
    const SharedMemory mine = make();
    EXPECT_EQ(level.value(), mine.mapping().size());
    const SharedMemory other = open(mine);
    EXPECT_EQ(level.value(), 2 * mine.mapping().size());
  }
  EXPECT_EQ(level.value(), 0U);
  const std::size_t bytes = [&] {
    SharedMemory mine = make();
    const std::size_t mapped = mine.mapping().size();
    mine.all_have_it();
    pool.keep(std::move(mine));
    return mapped;
  }();
  EXPECT_EQ(level.value(), bytes) << "kept";
}

TEST_F(SharedMemoryTest, BothSeeTheSame) {
  SharedMemory mine = make();
  const SharedMemory other = open(mine);
  mine.all_have_it();
  ASSERT_NE(mine.mapping().data(), other.mapping().data());
  contents(mine)[reserved] = std::byte{7};
  EXPECT_EQ(contents(other)[reserved], std::byte{7});
}

TEST_F(SharedMemoryTest, KeptMemoryServesTheNextPurposeAndItsReservedPartIsZero) {
  SharedMemory first = make();
  SharedMemory other = open(first);
  first.all_have_it();
  const MemoryOffer before = first.offer();
  ASSERT_TRUE(before.lasting);
  const std::byte* const mine = first.mapping().data();
  const std::byte* const theirs = other.mapping().data();
  std::ranges::fill(contents(first).subspan(sizeof before.ticket.secret, reserved), std::byte{9});
  pool.keep(std::move(other));
  pool.keep(std::move(first));

  const SharedMemory second = make(3 * reserved);  // as long as the first one after rounding
  EXPECT_EQ(second.mapping().data(), mine);
  EXPECT_EQ(second.offer().ticket.secret, before.ticket.secret);
  const SharedMemory again = open(second, 3 * reserved);
  EXPECT_EQ(again.mapping().data(), theirs);
  const auto zeros = contents(again).first(reserved).subspan(sizeof before.ticket.secret);
  EXPECT_TRUE(std::ranges::all_of(zeros, [](std::byte each) { return each == std::byte{0}; }));
}

TEST_F(SharedMemoryTest, MemoryOfAnotherLengthOrStillInUseIsNotTaken) {
  SharedMemory first = make();
  const std::byte* const mine = first.mapping().data();
  pool.keep(std::move(first));
  EXPECT_NE(make(unit + 1).mapping().data(), mine);
  in_use = true;
  EXPECT_NE(make().mapping().data(), mine);
  in_use = false;
  EXPECT_EQ(make().mapping().data(), mine);
}

TEST_F(SharedMemoryTest, WhoHasDroppedItOpensItAgain) {
  SharedMemory first = make();
  first.all_have_it();
  pool.keep(std::move(first));
  const SharedMemory second = make();
  const SharedMemory other = open(second);
  contents(second)[reserved] = std::byte{5};
  EXPECT_EQ(contents(other)[reserved], std::byte{5});
}

TEST_F(SharedMemoryTest, LongAlignedAndZeroMemoryServesOnePurpose) {
  EXPECT_FALSE(make(2 * unit + 1).offer().lasting);
  EXPECT_FALSE(pool.make({.bytes = reserved, .reserved = reserved, .alignment = 1 << 16}).offer().lasting);
  EXPECT_FALSE(pool.make({.bytes = reserved, .reserved = reserved, .others_zero = true}).offer().lasting);
}

TEST_F(SharedMemoryTest, FewSegmentsStayOpen) {
  std::vector<SharedMemory> all;
  for (std::size_t i = 0; i < 2 * most; ++i) all.push_back(make());
  const auto lasting = std::ranges::count_if(all, [](const SharedMemory& each) { return each.offer().lasting; });
  EXPECT_LE(lasting, static_cast<std::ptrdiff_t>(most));
  for (SharedMemory& each : all) {
    each.all_have_it();
    pool.keep(std::move(each));
  }
  all.clear();
  EXPECT_TRUE(make().offer().lasting);
}

}  // namespace

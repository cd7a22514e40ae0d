// SPDX-License-Identifier: BSD-3-Clause
#include "rma/shared_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

using bowline::rma::MemoryOffer;
using bowline::rma::SharedMemory;

namespace {

constexpr std::size_t reserved = 4096;

SharedMemory make(std::size_t bytes = 2 * reserved, std::size_t alignment = 64, bool others_zero = false) {
  return SharedMemory::make(bytes, reserved, alignment, others_zero);
}

std::span<std::byte> contents(const SharedMemory& memory) {
  return {memory.mapping().data(), memory.mapping().size()};
}

TEST(SharedMemoryTest, MembersSeeTheSame) {
  SharedMemory mine = make();
  const SharedMemory other = SharedMemory::open(mine.offer(), 2 * reserved, 64);
  mine.all_have_it();
  ASSERT_NE(mine.mapping().data(), other.mapping().data());
  contents(mine)[reserved] = std::byte{7};
  EXPECT_EQ(contents(other)[reserved], std::byte{7});
}

TEST(SharedMemoryTest, SpareMemoryServesTheNextWindowAndItsReservedPartIsZero) {
  SharedMemory first = make();
  SharedMemory other = SharedMemory::open(first.offer(), 2 * reserved, 64);
  first.all_have_it();
  const MemoryOffer before = first.offer();
  ASSERT_TRUE(before.lasting);
  const std::byte* const mine = first.mapping().data();
  const std::byte* const theirs = other.mapping().data();
  std::ranges::fill(contents(first).subspan(sizeof before.ticket.secret, reserved), std::byte{9});
  SharedMemory::spare(std::move(other));
  SharedMemory::spare(std::move(first));

  // Longer, so that the length does not decide.
  SharedMemory second = make(3 * reserved);
  EXPECT_EQ(second.mapping().data(), mine);
  EXPECT_EQ(second.offer().ticket.secret, before.ticket.secret);
  const SharedMemory again = SharedMemory::open(second.offer(), 3 * reserved, 64);
  EXPECT_EQ(again.mapping().data(), theirs);
  const auto zeros = contents(again).first(reserved).subspan(sizeof before.ticket.secret);
  EXPECT_TRUE(std::ranges::all_of(zeros, [](std::byte each) { return each == std::byte{0}; }));
}

TEST(SharedMemoryTest, AMemberThatHasDroppedItOpensItAgain) {
  SharedMemory first = make();
  first.all_have_it();
  SharedMemory::spare(std::move(first));
  const SharedMemory second = make();
  const SharedMemory other = SharedMemory::open(second.offer(), 2 * reserved, 64);
  contents(second)[reserved] = std::byte{5};
  EXPECT_EQ(contents(other)[reserved], std::byte{5});
}

TEST(SharedMemoryTest, LongAlignedAndZeroMemoryServesOneWindow) {
  EXPECT_FALSE(make(SharedMemory::lasting_bytes + 1).offer().lasting);
  EXPECT_FALSE(make(reserved, 1 << 16).offer().lasting);
  EXPECT_FALSE(make(reserved, 64, true).offer().lasting);
}

TEST(SharedMemoryTest, FewSegmentsStayOpen) {
  std::vector<SharedMemory> windows;
  for (std::size_t i = 0; i < 2 * SharedMemory::most_lasting; ++i) windows.push_back(make());
  const auto lasting = std::ranges::count_if(windows, [](const SharedMemory& each) { return each.offer().lasting; });
  EXPECT_LE(lasting, static_cast<std::ptrdiff_t>(SharedMemory::most_lasting));
  for (SharedMemory& each : windows) {
    each.all_have_it();
    SharedMemory::spare(std::move(each));
  }
  windows.clear();
  EXPECT_TRUE(make().offer().lasting);
}

}  // namespace

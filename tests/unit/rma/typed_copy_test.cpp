// SPDX-License-Identifier: BSD-3-Clause
#include "rma/paths/typed_copy.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "dtype/predefined.hpp"

namespace bowline::rma {
namespace {

using Memory = std::array<std::byte, 192>;

Memory numbered(int first) {
  Memory made;
  for (std::size_t i = 0; i < made.size(); ++i) made[i] = static_cast<std::byte>(first + static_cast<int>(i));
  return made;
}

proto::Buffer bytes_at(std::byte* place, std::size_t count) {
  return {place, count, &dtype::byte_type()};
}

TEST(TypedCopy, CopiesShortBlocksAtEveryAlignment) {
  Memory source = numbered(0);
  for (std::size_t from = 0; from < 9; ++from) {
    for (std::size_t to = 0; to < 9; ++to) {
      for (std::size_t length = 0; length <= 130; ++length) {
        Memory target = numbered(100), expected = target;
        std::memcpy(expected.data() + to, source.data() + from, length);
        copy_typed(bytes_at(source.data() + from, length), bytes_at(target.data() + to, length));
        ASSERT_EQ(target, expected) << length << " bytes from " << from << " to " << to;
      }
    }
  }
}

TEST(TypedCopy, LeavesMemoryThatIsCopiedOntoItself) {
  for (const std::size_t length : {8, 64, 128}) {
    Memory memory = numbered(7);
    copy_typed(bytes_at(memory.data(), length), bytes_at(memory.data(), length));
    EXPECT_EQ(memory, numbered(7));
  }
}

TEST(TypedCopy, MovesBlocksThatOverlap) {
  constexpr std::size_t from = 16;
  for (const std::size_t length : {6, 8, 12, 40}) {  // processors differ in the length up to which words are moved
    for (const std::size_t to : {from - 8, from - 4, from - 2, from + 2, from + 4, from + 8}) {
      Memory memory = numbered(0), expected = memory;
      std::memmove(expected.data() + to, memory.data() + from, length);
      copy_typed(bytes_at(memory.data() + from, length), bytes_at(memory.data() + to, length));
      EXPECT_EQ(memory, expected) << length << " bytes to " << to;
    }
  }
}

}  // namespace
}  // namespace bowline::rma

// SPDX-License-Identifier: BSD-3-Clause
// base: arrays of a few elements in the object, and of more elsewhere.
#include "base/short_array.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <utility>

#include "base/scratch.hpp"

namespace bowline {
namespace {

/// Memory from the heap that keeps count of what is taken and given.
struct CountedMemory {
  static void* take(std::size_t bytes) {
    taken += bytes;
    return HeapMemory::take(bytes);
  }
  static void give(void* memory, std::size_t bytes) noexcept {
    given += bytes;
    HeapMemory::give(memory, bytes);
  }
  static inline std::size_t taken = 0;
  static inline std::size_t given = 0;
};
using Counted = ShortArray<std::uint32_t, 4, CountedMemory>;

bool lies_in(const auto& array) {
  const auto* const object = reinterpret_cast<const std::byte*>(&array);
  const auto* const data = reinterpret_cast<const std::byte*>(array.data());
  return data >= object && data < object + sizeof array;
}

/// Writes every element before it reads one, so that elements that overlap are noticed.
void holds(auto& array, std::size_t size) {
  ASSERT_EQ(array.size(), size);
  for (std::size_t i = 0; i < size; ++i) array[i] = static_cast<std::uint32_t>(i * 3 + 1);
  for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(std::as_const(array)[i], i * 3 + 1);
  EXPECT_EQ(array.data(), std::as_const(array).data());
}

TEST(ShortArray, TakesMemoryOnlyForMoreThanAFew) {
  CountedMemory::taken = CountedMemory::given = 0;
  for (const std::size_t size : {0, 1, 4}) {
    Counted array(size);
    holds(array, size);
    EXPECT_TRUE(lies_in(array));
  }
  EXPECT_EQ(CountedMemory::taken, 0U);
  for (const std::size_t size : {5, 1000}) {
    Counted array(size);
    holds(array, size);
    EXPECT_FALSE(lies_in(array));
  }
  EXPECT_EQ(CountedMemory::taken, 1005 * sizeof(std::uint32_t));
  EXPECT_EQ(CountedMemory::given, CountedMemory::taken);
}

TEST(ShortArray, CanGetItsLengthLater) {
  CountedMemory::taken = CountedMemory::given = 0;
  {
    Counted never, few, many;
    EXPECT_EQ(never.size(), 0U);
    const std::uint32_t* const of_few = few.make(4);
    holds(few, 4);
    EXPECT_EQ(of_few, few.data());
    const std::uint32_t* const of_many = many.make(9);
    holds(many, 9);
    EXPECT_EQ(of_many, many.data());
  }
  EXPECT_EQ(CountedMemory::taken, 9 * sizeof(std::uint32_t));
  EXPECT_EQ(CountedMemory::given, CountedMemory::taken);
}

TEST(ShortArray, ALengthBeyondAllMemoryIsRefusedAndLeavesItEmpty) {
  CountedMemory::taken = CountedMemory::given = 0;
  Counted array;
  EXPECT_THROW(array.make(std::numeric_limits<std::size_t>::max() / 2), std::bad_alloc);
  EXPECT_EQ(array.size(), 0U);
  EXPECT_EQ(CountedMemory::taken, 0U);
}

TEST(ShortArray, ScratchMemoryIsUsedAgain) {
  void* first = nullptr;
  {
    ScratchArray<std::uint32_t> array(100);
    holds(array, 100);
    first = array.data();
  }
  ScratchArray<std::uint32_t> array(90);
  EXPECT_EQ(array.data(), first);
  ScratchArray<std::uint32_t> empty(0);
  EXPECT_EQ(empty.data(), nullptr);
}

}  // namespace
}  // namespace bowline

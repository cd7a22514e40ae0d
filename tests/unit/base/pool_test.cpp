// SPDX-License-Identifier: BSD-3-Clause
// base/pool: objects live in recycled memory, at their alignment, and the steady state allocates nothing.
#include "base/pool.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "support/allocations.hpp"

namespace bowline {
namespace {

struct Tracked {
  explicit Tracked(int& living_) : living(living_) { ++living; }
  ~Tracked() { --living; }
  int& living;
};

TEST(Pool, MakesAndDestroysObjects) {
  int living = 0;
  Pool<Tracked> pool;
  Tracked* const one = pool.make(living);
  Tracked* const two = pool.make(living);
  EXPECT_NE(one, two);
  EXPECT_EQ(living, 2);
  pool.destroy(one);
  pool.destroy(two);
  EXPECT_EQ(living, 0);
}

TEST(Pool, RecyclesMemoryWithoutAllocating) {
  Pool<std::uint64_t> pool;
  std::set<std::uint64_t*> first_round;
  std::vector<std::uint64_t*> objects;
  for (std::uint64_t i = 0; i < 100; ++i) objects.push_back(pool.make(i));
  first_round.insert(objects.begin(), objects.end());
  EXPECT_EQ(first_round.size(), 100U);
  for (int round = 0; round < 3; ++round) {
    for (std::uint64_t* object : objects) pool.destroy(object);
    objects.clear();
    const std::size_t before = test::allocations();
    for (std::uint64_t i = 0; i < 100; ++i) objects.push_back(pool.make(i * 3));
    EXPECT_EQ(test::allocations(), before);
    for (std::uint64_t i = 0; i < 100; ++i) {
      EXPECT_TRUE(first_round.contains(objects[i]));
      EXPECT_EQ(*objects[i], i * 3);
    }
  }
  for (std::uint64_t* object : objects) pool.destroy(object);
}

TEST(Pool, KeepsAlignment) {
  struct alignas(256) Aligned {
    char byte;
  };
  Pool<Aligned> aligned;
  Pool<char> tiny;
  for (int i = 0; i < 10; ++i) {
    Aligned* const object = aligned.make();
    char* const letter = tiny.make('x');
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(object) % 256, 0U);
    EXPECT_EQ(*letter, 'x');
    aligned.destroy(object);
    tiny.destroy(letter);
  }
}

TEST(Pool, WorksWithObjectsThatOwnMemory) {
  Pool<std::unique_ptr<int>> pool;
  auto* const owner = pool.make(std::make_unique<int>(7));
  EXPECT_EQ(**owner, 7);
  pool.destroy(owner);
}

}  // namespace
}  // namespace bowline

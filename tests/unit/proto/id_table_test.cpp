// SPDX-License-Identifier: BSD-3-Clause
// proto/id_table: an id names its object as long as it has it, and nothing else ever.
#include "proto/id_table.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "support/seed.hpp"

namespace bowline::proto {
namespace {

TEST(IdTable, AnIdNamesItsObjectUntilItIsRemoved) {
  IdTable<int> table;
  int one = 1, two = 2;
  const std::uint64_t first = table.add(one), second = table.add(two);
  EXPECT_EQ(table.find(first), &one);
  EXPECT_EQ(table.find(second), &two);
  EXPECT_FALSE(table.has_named(first)) << "it still does";
  table.remove(first);
  EXPECT_EQ(table.find(first), nullptr);
  EXPECT_TRUE(table.has_named(first));
  EXPECT_EQ(table.find(second), &two);
}

TEST(IdTable, APlaceThatIsUsedAgainHasAnotherId) {
  IdTable<int> table;
  int object = 1;
  std::set<std::uint64_t> ids;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t id = table.add(object);
    EXPECT_TRUE(ids.insert(id).second);
    EXPECT_NE(id, no_id);
    table.remove(id);
  }
  for (const std::uint64_t id : ids) {
    EXPECT_EQ(table.find(id), nullptr);
    EXPECT_TRUE(table.has_named(id));
  }
}

TEST(IdTable, WhatWasNeverGivenNamesNothing) {
  IdTable<int> table;
  int object = 1;
  const std::uint64_t id = table.add(object);
  for (const std::uint64_t wrong : {no_id, id + 1, id + (std::uint64_t{1} << 32), id & 0xffffffff, ~std::uint64_t{0},
                                    static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(&object))}) {
    EXPECT_EQ(table.find(wrong), nullptr) << wrong;
    EXPECT_FALSE(table.has_named(wrong)) << wrong;
  }
}

TEST(IdTable, RandomUseAgainstAMap) {
  for (const std::uint32_t seed : test::seeds()) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    IdTable<int> table;
    std::vector<int> objects(100);
    std::map<std::uint64_t, int*> named;
    std::vector<std::uint64_t> gone;
    for (int i = 0; i < 20'000; ++i) {
      if (random() % 2 == 0 && named.size() < objects.size()) {
        int& object = objects[random() % objects.size()];
        EXPECT_TRUE(named.emplace(table.add(object), &object).second);
      } else if (!named.empty()) {
        const auto out = std::next(named.begin(), static_cast<std::ptrdiff_t>(random() % named.size()));
        table.remove(out->first);
        gone.push_back(out->first);
        named.erase(out);
      }
    }
    for (const auto& [id, object] : named) EXPECT_EQ(table.find(id), object);
    for (const std::uint64_t id : gone) EXPECT_EQ(table.find(id), nullptr);
    std::size_t count = 0;
    table.for_each([&](int&) { ++count; });
    EXPECT_EQ(count, named.size());
  }
}

}  // namespace
}  // namespace bowline::proto

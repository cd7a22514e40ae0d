// SPDX-License-Identifier: BSD-3-Clause
// coll/slots/member_groups: the groups of a node's members, and their leaders.
#include "coll/slots/member_groups.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "support/seed.hpp"

namespace bowline::coll {
namespace {

std::vector<int> list(std::span<const int> members) {
  return {members.begin(), members.end()};
}

TEST(MemberGroups, ByCacheWhereAllAreKnown) {
  const std::vector<int> caches{8, 0, 8, 0, 8};
  EXPECT_EQ(list(MemberGroups(caches, 4).group()), (std::vector{0, 2, 4}));
  EXPECT_EQ(list(MemberGroups(caches, 1).group()), (std::vector{1, 3}));
  EXPECT_EQ(list(MemberGroups(caches, 1).leaders()), (std::vector{1, 0}));
  EXPECT_TRUE(MemberGroups(caches, 1).is_top());
  EXPECT_FALSE(MemberGroups(caches, 0).is_top());
  EXPECT_TRUE(MemberGroups(caches, 0).leads());
  EXPECT_EQ(MemberGroups(caches, 0).above(), 1);
  EXPECT_EQ(MemberGroups(caches, 2).above(), 0);
}

TEST(MemberGroups, ByRankWhereOneIsNotKnown) {
  std::vector<int> caches(40);
  for (std::size_t i = 0; i < caches.size(); ++i) caches[i] = static_cast<int>(i % 2);
  caches[7] = -1;
  const MemberGroups groups(caches, 17);
  EXPECT_EQ(list(groups.leaders()), (std::vector{0, 16, 32}));
  EXPECT_EQ(groups.group().front(), 16);
  EXPECT_EQ(groups.group().back(), 31);
}

TEST(MemberGroups, NoGroupIsLongerThanAllowedWhateverTheCaches) {
  for (const std::uint32_t seed : test::seeds()) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::vector<int> caches(1 + random() % 200);
    const unsigned kinds = 1 + random() % 6;
    for (int& cache : caches) cache = static_cast<int>(random() % kinds);
    std::set<int> seen;
    const std::vector<int> leaders = list(MemberGroups(caches, 0).leaders());
    for (int rank = 0; rank < static_cast<int>(caches.size()); ++rank) {
      const MemberGroups groups(caches, rank);
      EXPECT_EQ(list(groups.leaders()), leaders) << "every member finds the same groups";
      EXPECT_LE(groups.group().size(), MemberGroups::most_members);
      EXPECT_EQ(groups.leads(), std::ranges::count(leaders, rank) == 1);
      EXPECT_EQ(std::ranges::count(groups.group(), rank), 1);
      for (const int member : groups.group())
        EXPECT_EQ(caches[static_cast<std::size_t>(member)], caches[static_cast<std::size_t>(rank)]);
      if (groups.leads()) seen.insert(groups.group().begin(), groups.group().end());
    }
    EXPECT_EQ(seen.size(), caches.size()) << "every member has a leader";
  }
}

}  // namespace
}  // namespace bowline::coll

// SPDX-License-Identifier: BSD-3-Clause
// comm/group: members in their order, the set operations held against plain lists, and what a group costs.
#include "comm/group.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "support/allocations.hpp"
#include "support/seed.hpp"

namespace bowline::comm {
namespace {

using Ranks = std::vector<int>;

Ranks members(const Group& group) {
  Ranks result;
  for (int rank = 0; rank < group.size(); ++rank) result.push_back(group.process(rank));
  return result;
}

/// What the group says of every process from 0 to `last`.
void expect_inverse(const Group& group, int last) {
  const Ranks list = members(group);
  for (int process = 0; process <= last; ++process) {
    const auto found = std::ranges::find(list, process);
    const int expected = found == list.end() ? Group::no_rank : static_cast<int>(found - list.begin());
    ASSERT_EQ(group.rank_of(process), expected) << "process " << process;
  }
}

TEST(Group, TheEmptyOneHasNoMembers) {
  EXPECT_EQ(Group().size(), 0);
  EXPECT_EQ(Group().rank_of(0), Group::no_rank);
  EXPECT_EQ(Group::compare(Group(), Group::of({})), Likeness::identical);
}

TEST(Group, ASequenceCountsUpOrDown) {
  EXPECT_EQ(members(Group::sequence(4, 3, 3)), (Ranks{4, 7, 10}));
  EXPECT_EQ(members(Group::sequence(4, -2, 3)), (Ranks{4, 2, 0}));
  expect_inverse(Group::sequence(4, 3, 3), 20);
  expect_inverse(Group::sequence(4, -2, 3), 20);
  expect_inverse(Group::sequence(4, 0, 1), 20);
}

TEST(Group, RangesCountTheirMembers) {
  EXPECT_EQ((RankRange{0, 9, 3}.count()), 4);
  EXPECT_EQ((RankRange{9, 1, -3}.count()), 3);
  EXPECT_EQ((RankRange{5, 5, -7}.count()), 1);
  EXPECT_EQ((RankRange{5, 4, 1}.count()), 0);
  EXPECT_EQ((RankRange{4, 5, -1}.count()), 0);
  EXPECT_EQ((RankRange{0, 2147483647, 2147483647}.count()), 2);
}

TEST(Group, RangesOfAStrideAreAStride) {
  const Group every_third = Group::sequence(1, 3, 10);
  const RankRange ranges[] = {{8, 0, -4}, {1, 3, 2}};
  EXPECT_EQ(members(every_third.including(ranges)), (Ranks{25, 13, 1, 4, 10}));
  const RankRange all[] = {{0, 9, 1}};
  EXPECT_EQ(Group::compare(every_third.including(all), every_third), Likeness::identical);
}

TEST(Group, LikenessIsOfMembersAndOrder) {
  const Group up = Group::sequence(0, 1, 4);
  EXPECT_EQ(Group::compare(up, Group::of(Ranks{0, 1, 2, 3})), Likeness::identical);
  EXPECT_EQ(Group::compare(up, Group::sequence(3, -1, 4)), Likeness::similar);
  EXPECT_EQ(Group::compare(up, Group::of(Ranks{0, 2, 1, 3})), Likeness::similar);
  EXPECT_EQ(Group::compare(up, Group::of(Ranks{0, 2, 1, 4})), Likeness::different);
  EXPECT_EQ(Group::compare(up, Group::sequence(0, 1, 3)), Likeness::different);
}

TEST(Group, SetOperationsKeepTheStandardsOrder) {
  const Group a = Group::of(Ranks{5, 0, 3, 2});
  const Group b = Group::of(Ranks{2, 7, 5, 1});
  EXPECT_EQ(members(Group::unite(a, b)), (Ranks{5, 0, 3, 2, 7, 1}));
  EXPECT_EQ(members(Group::unite(b, a)), (Ranks{2, 7, 5, 1, 0, 3}));
  EXPECT_EQ(members(Group::intersect(a, b)), (Ranks{5, 2}));
  EXPECT_EQ(members(Group::subtract(a, b)), (Ranks{0, 3}));
}

void check_random_group(std::mt19937& random, bool shuffled) {
  const int size = 1 + static_cast<int>(random() % 40);
  Ranks processes(static_cast<std::size_t>(size));
  std::iota(processes.begin(), processes.end(), 0);
  if (shuffled) std::ranges::shuffle(processes, random);
  const Group whole = Group::of(processes);
  ASSERT_EQ(members(whole), processes);
  expect_inverse(whole, size + 1);

  Ranks chosen, left;
  std::vector<bool> marked(processes.size());
  for (int rank = 0; rank < size; ++rank) {
    if (random() % 2 == 0) {
      chosen.push_back(rank);
      marked[static_cast<std::size_t>(rank)] = true;
    } else {
      left.push_back(processes[static_cast<std::size_t>(rank)]);
    }
  }
  const Group part = whole.including(chosen);
  EXPECT_EQ(members(whole.without(marked)), left);
  EXPECT_EQ(members(Group::subtract(whole, part)), left);
  expect_inverse(part, size);
  const coll::RankMap map = part.map();
  for (int rank = 0; rank < part.size(); ++rank) ASSERT_EQ(map.process(rank), part.process(rank));
  EXPECT_EQ(Group::compare(part, Group::of(members(part))), Likeness::identical);
}

TEST(Group, RandomGroupsAgreeWithLists) {
  for (const std::uint32_t seed : test::seeds()) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    for (int round = 0; round < 100; ++round) check_random_group(random, round % 3 != 0);
  }
}

TEST(Group, AMillionRanksOfARangeAreSmallAndTranslateAtOnce) {
  const Group world = Group::sequence(0, 1, 4'000'000);
  const RankRange odd[] = {{1'999'999, 1, -2}};
  const Group group = world.including(odd);
  ASSERT_EQ(group.size(), 1'000'000);
  EXPECT_LT(group.footprint(), 1024U);
  const auto before = test::allocations();
  for (int rank = 0; rank < 1000; ++rank) {
    const int process = group.process(rank * 999);
    EXPECT_EQ(process, 1'999'999 - rank * 1998);
    EXPECT_EQ(group.rank_of(process), rank * 999);
    EXPECT_EQ(group.rank_of(process - 1), Group::no_rank);
  }
  EXPECT_EQ(test::allocations(), before);
}

}  // namespace
}  // namespace bowline::comm

// SPDX-License-Identifier: BSD-3-Clause
// runtime/hang: groups of ranks travel as bytes, and damaged bytes are refused.
#include "runtime/hang/hang_wire.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "runtime/rank_tree.hpp"

namespace bowline::runtime {
namespace {

constexpr std::size_t longest = 1000;
constexpr int ranks = 1000;

TEST(HangWire, AGroupComesAsItWas) {
  const Described group{
      .words = "in MPI_Barrier (solver.c:88)",
      .wait = true,
      .group = {.ranks = {0, 1, 2, 7, 9}, .host = "node7", .shortest = 1.5, .longest = 2, .others = 3, .awaited = 4}};
  const auto came = unpack(pack(group, longest), ranks);
  ASSERT_TRUE(came);
  EXPECT_EQ(came->words, group.words);
  EXPECT_TRUE(came->wait);
  EXPECT_EQ(came->group.ranks, group.group.ranks);
  EXPECT_EQ(came->group.host, "node7");
  EXPECT_EQ(came->group.shortest, 1.5);
  EXPECT_EQ(came->group.awaited, 4);
  EXPECT_EQ(came->group.longest, 2);
  EXPECT_EQ(came->group.others, 3);
}

TEST(HangWire, WhatIsTooLongIsCut) {
  Described group{.words = std::string(2000, 'x'), .group = {.ranks = {}, .host = std::string(100, 'h')}};
  for (int rank = 0; rank < 200; rank += 2) group.group.ranks.push_back(rank);
  const std::vector<std::byte> bytes = pack(group, longest);
  EXPECT_EQ(bytes.size(), longest);
  const auto came = unpack(bytes, ranks);
  ASSERT_TRUE(came);
  EXPECT_EQ(came->group.ranks.size(), 32U);
  EXPECT_EQ(came->group.count(), 100);
  EXPECT_EQ(came->group.host, std::string(64, 'h'));
}

TEST(HangWire, DamagedBytesAreRefused) {
  const std::vector<std::byte> bytes = pack({.words = "", .group = {.ranks = {3, 5}, .host = "h"}}, longest);
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_FALSE(unpack(std::span(bytes).first(length), ranks)) << length;
  EXPECT_FALSE(unpack(bytes, 5)) << "rank 5 is none of 5 ranks";
  EXPECT_TRUE(unpack(bytes, 6));
  std::vector<std::byte> many = bytes;
  many[20] = std::byte{200};
  EXPECT_FALSE(unpack(many, ranks)) << "200 ranges";
}

TEST(RankTree, EveryPositionHasOneParent) {
  for (const int size : {1, 2, 3, 7, 100}) {
    std::vector<int> parents(static_cast<std::size_t>(size), -1);
    for (int position = 0; position < size; ++position) {
      for (const int child : RankTree::around(position, size).children) {
        EXPECT_EQ(RankTree::around(child, size).parent, position);
        EXPECT_EQ(parents[static_cast<std::size_t>(child)], -1);
        parents[static_cast<std::size_t>(child)] = position;
      }
    }
    EXPECT_EQ(std::ranges::count(parents, -1), 1) << "the root of " << size;
  }
}

}  // namespace
}  // namespace bowline::runtime

// SPDX-License-Identifier: BSD-3-Clause
// wireup/node_map: maps as Slurm writes them, and the sentence for what is none.
#include "wireup/node_map.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.hpp"

namespace bowline::wireup {
namespace {

std::vector<int> nodes(const NodeMap& map) {
  std::vector<int> found;
  for (int rank = 0; rank < map.ranks(); ++rank) found.push_back(map.node_of(rank));
  return found;
}

TEST(NodeMap, OneBlock) {
  EXPECT_EQ(nodes(NodeMap("(vector,(0,1,1))")), (std::vector{0}));
  EXPECT_EQ(nodes(NodeMap("(vector,(0,4,2))")), (std::vector{0, 0, 1, 1, 2, 2, 3, 3}));
}

TEST(NodeMap, NodesOfDifferentSize) {
  EXPECT_EQ(nodes(NodeMap("(vector,(0,1,4),(1,1,1))")), (std::vector{0, 0, 0, 0, 1}));
  EXPECT_EQ(nodes(NodeMap("(vector,(0,1,2),(1,1,3),(2,1,1))")), (std::vector{0, 0, 1, 1, 1, 2}));
}

TEST(NodeMap, DealtOut) {
  EXPECT_EQ(nodes(NodeMap("(vector,(0,2,1),(0,1,4))")), (std::vector{0, 1, 0, 0, 0, 0}));
  EXPECT_EQ(nodes(NodeMap("(vector,(0,3,1),(0,3,1))")), (std::vector{0, 1, 2, 0, 1, 2}));
}

TEST(NodeMap, AMillionRanksInOneBlock) {
  const NodeMap map("(vector,(0,10000,100))");
  EXPECT_EQ(map.ranks(), 1'000'000);
  EXPECT_EQ(map.node_of(999'999), 9'999);
  EXPECT_EQ(map.node_of(123'456), 1'234);
}

TEST(NodeMap, WhatIsNoMapIsNamed) {
  for (const char* text :
       {"", "(vector)", "(vector,)", "(vector,(0,1,1)", "(vector,(0,1,1)))", "(vector,(0,0,1))", "(vector,(0,1,0))",
        "(vector,(-1,1,1))", "(vector,(0,1))", "(vector,(0,1,1,1))", "(vector (0,1,1))", "vector,(0,1,1)",
        "(vector,(0,1,1),)", "(vector,(a,1,1))", "(vector,(0,100000,100000))", "(vector,(0,1,99999999999))"}) {
    try {
      const NodeMap map(text);
      ADD_FAILURE() << "\"" << text << "\" was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.error_class(), ErrorClass::other);
      EXPECT_NE(std::string(error.what()).find("\"" + std::string(text) + "\""), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace bowline::wireup

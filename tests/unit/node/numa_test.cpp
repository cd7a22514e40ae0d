// SPDX-License-Identifier: BSD-3-Clause
// node/numa: how far a NUMA node is from this process's cores, on a machine of which the test writes the kernel's
// files.
#include "node/numa.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "node/core_set.hpp"

namespace bowline::node {
namespace {

constexpr int no_core = 100'000;

class NumaDistance : public testing::Test {
 protected:
  NumaDistance() { std::filesystem::create_directories(folder_); }
  ~NumaDistance() override { std::filesystem::remove_all(folder_); }

  void add_node(int node, const std::string& cores, const std::string& distances) {
    const std::filesystem::path here = folder_ / fmt::format("node{}", node);
    std::filesystem::create_directory(here);
    std::ofstream(here / "cpulist") << cores << "\n";
    std::ofstream(here / "distance") << distances << "\n";
  }
  unsigned distance(int node) { return numa_distance(node, folder_); }

  const std::string mine_ = std::to_string(cores_of(0).first());
  const std::string others_ = std::to_string(no_core);

 private:
  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / fmt::format("bowline_numa_{}", getpid());
};

TEST_F(NumaDistance, ComesFromTheNodeOfThisProcess) {
  add_node(0, others_, "10 21 31");
  add_node(1, mine_, "21 10 17");
  add_node(2, "", "31 17 10");
  EXPECT_EQ(distance(0), 21U);
  EXPECT_EQ(distance(1), 10U);
  EXPECT_EQ(distance(2), 17U);
}

TEST_F(NumaDistance, IsThatOfTheNearestCore) {
  add_node(0, mine_, "10 21");
  add_node(1, mine_ + "," + others_, "21 10");
  EXPECT_EQ(distance(0), 10U);
  EXPECT_EQ(distance(1), 10U);
}

TEST_F(NumaDistance, IsNotKnownWhereTheKernelDoesNotSay) {
  EXPECT_EQ(distance(0), 0U) << "there are no nodes";
  add_node(0, mine_, "10");
  EXPECT_EQ(distance(1), 0U) << "there is no such node";
  EXPECT_EQ(distance(-1), 0U) << "the device belongs to no node";
}

}  // namespace
}  // namespace bowline::node

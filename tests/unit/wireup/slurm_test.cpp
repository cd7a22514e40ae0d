// SPDX-License-Identifier: BSD-3-Clause
// wireup/slurm: switches from Slurm's environment, in all its forms.
#include <gtest/gtest.h>

#include <cstdlib>

#include "wireup/slurm_environment.hpp"

namespace bowline::wireup {
namespace {

class Slurm : public testing::Test {
 protected:
  Slurm() { clear(); }
  ~Slurm() override { clear(); }
  static void clear() {
    for (const char* name : {"SLURM_TOPOLOGY_ADDR", "SLURM_TOPOLOGY_ADDR_PATTERN", "SLURM_STEP_NUM_TASKS"}) {
      unsetenv(name);
    }
  }
  static std::string switches(const char* address, const char* pattern) {
    setenv("SLURM_TOPOLOGY_ADDR", address, 1);
    setenv("SLURM_TOPOLOGY_ADDR_PATTERN", pattern, 1);
    return switches_above();
  }
};

TEST_F(Slurm, OutsideOfSlurmThereAreNoSwitches) {
  EXPECT_EQ(switches_above(), "");
}

TEST_F(Slurm, WithoutATopologyThereAreNoSwitches) {
  EXPECT_EQ(switches("n3", "node"), "");
  EXPECT_EQ(switches("n3.cluster.org", "node"), "");
}

TEST_F(Slurm, SwitchesStandBeforeTheNode) {
  EXPECT_EQ(switches("s2.n3", "switch.node"), "s2");
  EXPECT_EQ(switches("s0.s2.n3", "switch.switch.node"), "s0.s2");
}

TEST_F(Slurm, NamesOfNodesMayHaveDots) {
  EXPECT_EQ(switches("s0.s2.n3.cluster.org", "switch.switch.node"), "s0.s2");
}

TEST_F(Slurm, WhatDoesNotFitTogetherIsIgnored) {
  EXPECT_EQ(switches("n3", "switch.switch.node"), "");
  EXPECT_EQ(switches("", "switch.node"), "");
}

TEST_F(Slurm, SizeOfTheStep) {
  EXPECT_EQ(step_size(), 0);
  setenv("SLURM_STEP_NUM_TASKS", "64", 1);
  EXPECT_EQ(step_size(), 64);
  setenv("SLURM_STEP_NUM_TASKS", "many", 1);
  EXPECT_EQ(step_size(), 0);
}

}  // namespace
}  // namespace bowline::wireup

// SPDX-License-Identifier: BSD-3-Clause
// wireup/slurm: switches from Slurm's environment, in all its forms.
#include <gtest/gtest.h>

#include <cstdlib>
#include <utility>

#include "wireup/slurm_environment.hpp"

namespace bowline::wireup {
namespace {

class Slurm : public testing::Test {
 protected:
  Slurm() { clear(); }
  ~Slurm() override { clear(); }
  static void clear() {
    for (const char* name : {"SLURM_TOPOLOGY_ADDR", "SLURM_TOPOLOGY_ADDR_PATTERN", "SLURM_STEP_NUM_TASKS",
                             "SLURM_JOB_ID", "SLURM_JOB_NUM_NODES", "SLURM_JOB_CPUS_PER_NODE"}) {
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

TEST_F(Slurm, NodesOfTheAllocation) {
  setenv("SLURM_JOB_NUM_NODES", "3", 1);
  EXPECT_EQ(allocated_nodes(), 0);
  setenv("SLURM_JOB_ID", "77", 1);
  EXPECT_EQ(allocated_nodes(), 3);
}

TEST_F(Slurm, CpusOfTheAllocation) {
  EXPECT_EQ(allocated_cpus(), 0);
  for (const auto& [text, cpus] : {std::pair{"8", 8}, {"1(x2)", 2}, {"4(x2),8", 16}, {"3,1", 4}, {"2,16(x10)", 162}}) {
    setenv("SLURM_JOB_CPUS_PER_NODE", text, 1);
    EXPECT_EQ(allocated_cpus(), cpus) << text;
  }
  for (const char* const text : {"many", ",", "(x2)", "4(x"}) {
    setenv("SLURM_JOB_CPUS_PER_NODE", text, 1);
    EXPECT_EQ(allocated_cpus(), 0) << text;
  }
}

}  // namespace
}  // namespace bowline::wireup

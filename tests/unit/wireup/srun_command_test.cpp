// SPDX-License-Identifier: BSD-3-Clause
// wireup/srun_command: the options of srun, what the shells of its tasks run, and the environment.
#include "wireup/srun_command.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace bowline::wireup {
namespace {

Program program(const std::string& name, int processes) {
  Program made;
  made.name = name;
  made.processes = processes;
  return made;
}

std::vector<std::string> words_for(std::vector<Program> programs, int cpus = 8) {
  return srun_words(programs, cpus);
}

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::ranges::find(words, word) != words.end();
}

TEST(SrunCommand, OneProgram) {
  Program worker = program("/opt/my worker", 3);
  worker.arguments = {"it's", ""};
  worker.directory = "/data";
  worker.path = "/opt/bin";
  worker.environment = {{"A", "b c"}};
  const std::vector<std::string> words = words_for({worker});
  EXPECT_TRUE(has(words, "--ntasks=3"));
  EXPECT_TRUE(has(words, "--overlap"));
  EXPECT_TRUE(has(words, "--job-name=my worker"));
  EXPECT_FALSE(has(words, "--overcommit"));
  EXPECT_EQ(
      words.back(),
      "cd '/data' || exit 126; PATH='/opt/bin':$PATH; export PATH; exec env 'A=b c' '/opt/my worker' 'it'\\''s' ''");
}

TEST(SrunCommand, SeveralProgramsByTheRanksOfTheirProcesses) {
  const std::vector<std::string> words = words_for({program("a", 1), program("b", 2)});
  EXPECT_TRUE(has(words, "--ntasks=3"));
  EXPECT_EQ(words.back(),
            "if [ \"$SLURM_PROCID\" -lt 1 ]; then exec 'a'; fi; "
            "if [ \"$SLURM_PROCID\" -lt 3 ]; then exec 'b'; fi; ");
}

TEST(SrunCommand, MoreProcessesThanCpus) {
  EXPECT_TRUE(has(words_for({program("a", 9)}, 8), "--overcommit"));
  EXPECT_TRUE(has(words_for({program("a", 1)}, 0), "--overcommit"));
  EXPECT_FALSE(has(words_for({program("a", 8)}, 8), "--overcommit"));
}

TEST(SrunCommand, HostsAreFilledInTurn) {
  Program placed = program("a", 5);
  placed.placement = {{"host", "n2:2,n1"}};
  const std::vector<std::string> words = words_for({placed});
  EXPECT_TRUE(has(words, "--distribution=arbitrary"));
  EXPECT_TRUE(has(words, "--nodelist=n2,n2,n1,n2,n2"));
}

TEST(SrunCommand, AProgramWithoutHostsUsesThoseOfTheOthers) {
  Program placed = program("a", 1), other = program("b", 1);
  placed.placement = {{"host", "n1"}};
  other.placement = {{"add-host", "n2"}};
  EXPECT_TRUE(has(words_for({placed, program("c", 3), other}), "--nodelist=n1,n1,n2,n1,n2"));
}

TEST(SrunCommand, PlacementThatSrunHas) {
  Program placed = program("a", 5);
  placed.placement = {{"map-by", "ppr:2:node"}, {"bind-to", "none"}, {"rank-by", "core"}};
  const std::vector<std::string> words = words_for({placed});
  EXPECT_TRUE(has(words, "--nodes=3"));
  EXPECT_TRUE(has(words, "--ntasks-per-node=2"));
  EXPECT_TRUE(has(words, "--cpu-bind=none"));
}

TEST(SrunCommand, WhatIsTooLongIsRefused) {
  Program wordy = program("a", 1);
  wordy.arguments = {std::string(130000, 'x')};
  EXPECT_THROW(words_for({wordy}), SpawnFailure);
}

TEST(SrunCommand, TheEnvironmentHasNothingOfTheParentsStep) {
  const std::vector<std::string> variables = srun_environment(
      {"HOME=/h", "SLURM_JOB_ID=5", "SLURM_CONF=/c", "SLURM_NTASKS=4", "SLURM_STEP_ID=1", "PMIX_RANK=0",
       "PMIX_MCA_gds=hash", "PMI_RANK=0", "SRUN_DEBUG=3", "BOWLINE_PARENT_PORT=old", "BOWLINE_SPAWNED_PROGRAM=old"},
      "secret");
  EXPECT_EQ(variables, (std::vector<std::string>{"HOME=/h", "SLURM_JOB_ID=5", "SLURM_CONF=/c", "PMIX_MCA_gds=hash",
                                                 "BOWLINE_PARENT_PORT=secret"}));
}

}  // namespace
}  // namespace bowline::wireup

// SPDX-License-Identifier: BSD-3-Clause
// wireup/singleton and the choice in wireup/wireup: without a launcher a process is a job of one rank.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/tunable.hpp"
#include "wireup/wireup.hpp"

namespace bowline::wireup {
namespace {

std::vector<std::byte> bytes(const std::string& text) {
  std::vector<std::byte> data(text.size());
  std::ranges::transform(text, data.begin(), [](char c) { return static_cast<std::byte>(c); });
  return data;
}

std::vector<std::byte> lookup(Wireup& wireup, const std::string& key) {
  return wireup.lookup({wireup.identity().job, 0}, key);
}

std::string refusal(Wireup& wireup, int rank, const std::string& key, const std::string& job = "") {
  try {
    wireup.lookup({job.empty() ? wireup.identity().job : job, rank}, key);
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), ErrorClass::other);
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

TEST(Singleton, IsRankZeroOfOne) {
  const auto wireup = make_singleton();
  EXPECT_EQ(wireup->identity().rank, 0);
  EXPECT_EQ(wireup->identity().size, 1);
  EXPECT_EQ(wireup->identity().local_ranks, std::vector{0});
  EXPECT_EQ(wireup->identity().nodes, 1);
  EXPECT_EQ(wireup->node_of(0), 0);
  EXPECT_EQ(wireup->identity().switches, "");
  EXPECT_NE(wireup->identity().job.find(std::to_string(getpid())), std::string::npos);
}

TEST(Singleton, FindsWhatItHasPublished) {
  const auto wireup = make_singleton();
  wireup->publish("a", bytes("one"));
  wireup->publish("b", bytes(""));
  wireup->exchange();
  EXPECT_EQ(lookup(*wireup, "a"), bytes("one"));
  EXPECT_EQ(lookup(*wireup, "b"), bytes(""));
  wireup->publish("a", bytes("three"));
  EXPECT_EQ(lookup(*wireup, "a"), bytes("three"));
  wireup->finalize();
}

TEST(Singleton, NamesWhatNobodyHasPublished) {
  const auto wireup = make_singleton();
  wireup->publish("a", bytes("one"));
  const std::string no_key = refusal(*wireup, 0, "bowline.shm");
  EXPECT_NE(no_key.find("\"bowline.shm\""), std::string::npos) << no_key;
  const std::string no_rank = refusal(*wireup, 3, "a");
  EXPECT_NE(no_rank.find("rank 3"), std::string::npos) << no_rank;
  EXPECT_NE(no_rank.find("one rank"), std::string::npos) << no_rank;
  const std::string no_job = refusal(*wireup, 0, "a", "another");
  EXPECT_NE(no_job.find("rank 0 of job another"), std::string::npos) << no_job;
  EXPECT_NE(no_job.find("mpiexec"), std::string::npos) << no_job;
}

class Connect : public testing::Test {
 protected:
  Connect() {
    for (const char* name :
         {"PMIX_NAMESPACE", "PMIX_RANK", "SLURM_NTASKS", "SLURM_STEP_ID", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID",
          "PMI_SIZE", "PMI_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "MPIRUN_NPROCS", "MPIRUN_RANK"})
      unsetenv(name);
  }
  ~Connect() override { refuse("warn"); }
  static void refuse(const char* value) {
    setenv("BOWLINE_SINGLETON", value, 1);
    tunables::load_environment();
    unsetenv("BOWLINE_SINGLETON");
  }
  static std::string error_of_connecting() {
    try {
      connect();
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  }
  static std::string warnings_of_connecting() {
    testing::internal::CaptureStderr();
    EXPECT_EQ(connect()->identity().size, 1);
    return testing::internal::GetCapturedStderr();
  }
};

TEST_F(Connect, WithoutALauncherIsOneRankAndSilent) {
  EXPECT_EQ(warnings_of_connecting(), "");
}

TEST_F(Connect, ByHandInASlurmShellOfSeveralTasksIsWarned) {
  setenv("SLURM_NTASKS", "4", 1);
  setenv("SLURM_PROCID", "0", 1);
  const std::string text = warnings_of_connecting();
  EXPECT_NE(text.find("SLURM_NTASKS is 4"), std::string::npos) << text;
  EXPECT_NE(text.find("by hand"), std::string::npos) << text;
  EXPECT_NE(text.find("--mpi=pmix"), std::string::npos) << text;
  EXPECT_EQ(std::ranges::count(text, '\n'), 1) << text;
  setenv("SLURM_NTASKS", "1", 1);
  EXPECT_EQ(warnings_of_connecting(), "");
}

TEST_F(Connect, AStepOfSeveralTasksWithoutPmixIsWarnedOnce) {
  setenv("SLURM_NTASKS", "4", 1);
  setenv("SLURM_STEP_ID", "0", 1);
  setenv("SLURM_PROCID", "0", 1);
  const std::string text = warnings_of_connecting();
  EXPECT_NE(text.find("SLURM_NTASKS is 4"), std::string::npos) << text;
  EXPECT_NE(text.find("--mpi=pmix"), std::string::npos) << text;
  EXPECT_EQ(std::ranges::count(text, '\n'), 1) << text;
  setenv("SLURM_PROCID", "3", 1);
  EXPECT_EQ(warnings_of_connecting(), "");
  setenv("SLURM_PROCID", "0", 1);
  setenv("SLURM_NTASKS", "1", 1);
  EXPECT_EQ(warnings_of_connecting(), "");
}

TEST_F(Connect, TheShellOfAnAllocationMayBeAStepOfItsOwn) {
  setenv("SLURM_NTASKS", "4", 1);
  setenv("SLURM_STEP_ID", "4294967290", 1);
  setenv("SLURM_STEP_NUM_TASKS", "1", 1);
  EXPECT_NE(warnings_of_connecting().find("by hand"), std::string::npos);
  refuse("error");
  EXPECT_NE(warnings_of_connecting().find("by hand"), std::string::npos);
  setenv("SLURM_STEP_ID", "0", 1);
  setenv("SLURM_STEP_NUM_TASKS", "4", 1);
  EXPECT_NE(error_of_connecting().find("although SLURM_NTASKS is 4: srun has started no PMIx server"),
            std::string::npos);
}

TEST_F(Connect, OfTheProcessesOfAnotherLauncherTheFirstWarns) {
  for (const auto& [size, rank] : {std::pair("PMI_SIZE", "PMI_RANK"),
                                   {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                                   {"MPIRUN_NPROCS", "MPIRUN_RANK"}}) {
    setenv(size, "3", 1);
    setenv(rank, "0", 1);
    const std::string text = warnings_of_connecting();
    EXPECT_NE(text.find(std::string("runs as 3 jobs of one rank each, although ") + size + " is 3: "),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("start it with Bowline's mpiexec"), std::string::npos) << text;
    EXPECT_EQ(std::ranges::count(text, '\n'), 1) << text;
    setenv(rank, "2", 1);
    EXPECT_EQ(warnings_of_connecting(), "");
    refuse("error");
    EXPECT_NE(error_of_connecting().find("this program would run as 3 jobs of one rank each"), std::string::npos);
    refuse("warn");
    setenv(size, "1", 1);
    EXPECT_EQ(warnings_of_connecting(), "");
    unsetenv(size);
    unsetenv(rank);
  }
}

TEST_F(Connect, RanksOfMpichInASlurmStepAreThoseOfMpich) {
  setenv("SLURM_NTASKS", "2", 1);
  setenv("SLURM_STEP_NUM_TASKS", "2", 1);
  setenv("SLURM_PROCID", "0", 1);
  setenv("PMI_SIZE", "8", 1);
  setenv("PMI_RANK", "0", 1);
  EXPECT_NE(warnings_of_connecting().find("runs as 8 jobs"), std::string::npos);
}

}  // namespace
}  // namespace bowline::wireup

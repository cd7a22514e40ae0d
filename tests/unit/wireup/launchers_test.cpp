// SPDX-License-Identifier: BSD-3-Clause
// wireup/launchers, and the choice in wireup/wireup: which launcher has started this process, and the warning if that
// launcher offers neither PMIx nor PMI. The tests set the variables of launchers; tests of other folders run the
// launchers themselves.
#include "wireup/launchers.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "base/error.hpp"
#include "base/tunable.hpp"
#include "support/played_pmi_server.hpp"
#include "wireup/wireup.hpp"

namespace bowline::wireup {
namespace {

constexpr const char* variables[] = {"PMIX_NAMESPACE",
                                     "PMIX_RANK",
                                     "SLURM_NTASKS",
                                     "SLURM_STEP_ID",
                                     "SLURM_STEP_NUM_TASKS",
                                     "SLURM_PROCID",
                                     "PMI_SIZE",
                                     "PMI_RANK",
                                     "PMI_FD",
                                     "PMI_PORT",
                                     "PMI_ID",
                                     "OMPI_COMM_WORLD_SIZE",
                                     "OMPI_COMM_WORLD_RANK",
                                     "MPIRUN_NPROCS",
                                     "MPIRUN_RANK",
                                     "PALS_RANKID",
                                     "FLUX_TASK_RANK",
                                     "FLUX_JOB_SIZE",
                                     "PBS_JOBID",
                                     "PBS_VNODENUM"};

class Connect : public testing::Test {
 protected:
  Connect() { forget(); }
  ~Connect() override {
    forget();
    refuse("warn");
  }
  static void forget() {
    for (const char* name : variables) unsetenv(name);
  }
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
  struct Case {
    const char *size, *rank, *name, *remedy;
  };
  for (const auto& [size, rank, name, remedy] :
       {Case{"PMI_SIZE", "PMI_RANK", "the launcher has started no PMIx server", "Bowline's mpiexec"},
        Case{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "Open MPI's mpirun", "Bowline's mpiexec"},
        Case{"MPIRUN_NPROCS", "MPIRUN_RANK", "MVAPICH's mpirun_rsh", "Bowline's mpiexec"},
        Case{"FLUX_JOB_SIZE", "FLUX_TASK_RANK", "Flux offers no PMI", "flux run -o pmi=simple"}}) {
    setenv(size, "3", 1);
    setenv(rank, "0", 1);
    const std::string text = warnings_of_connecting();
    EXPECT_NE(text.find(std::string("runs as 3 jobs of one rank each, although ") + size + " is 3: "),
              std::string::npos)
        << text;
    EXPECT_NE(text.find(name), std::string::npos) << text;
    EXPECT_NE(text.find(std::string("; start it with ") + remedy), std::string::npos) << text;
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

void set(const char* name, int value) {
  setenv(name, std::to_string(value).c_str(), 1);
}

TEST_F(Connect, PmiOverASocketIsSpoken) {
  test::PlayedPmiServer server({.ranks = 1});
  set("PMI_FD", server.client(0));
  set("PMI_RANK", 0);
  set("PMI_SIZE", 2);
  const Launcher* const launcher = launcher_of_this_process();
  ASSERT_NE(launcher, nullptr);
  EXPECT_EQ(launcher->wire, Wire::pmi);
  const auto wireup = connect();
  EXPECT_EQ(wireup->identity().size, 2);
  EXPECT_EQ(wireup->identity().job, "pmi-store-7");
  wireup->finalize();
}

TEST_F(Connect, PmixComesBeforePmi) {
  test::ServedConnection connection;
  set("PMI_FD", connection.client());
  set("PMI_RANK", 0);
  set("PMI_SIZE", 2);
  set("SLURM_NTASKS", 2);
  setenv("PMIX_NAMESPACE", "a", 1);
  EXPECT_EQ(launcher_of_this_process()->wire, Wire::pmi);
  set("PMIX_RANK", 0);
  EXPECT_EQ(launcher_of_this_process()->wire, Wire::pmix);
  close(connection.client());
}

TEST_F(Connect, TheOnlyRankOfAPmiServerDoesNotAskIt) {
  test::ServedConnection connection;
  set("PMI_FD", connection.client());
  set("PMI_RANK", 0);
  set("PMI_SIZE", 1);
  EXPECT_EQ(warnings_of_connecting(), "");
  EXPECT_NE(fcntl(connection.client(), F_GETFD), -1);  // and leaves it to the next program of its shell
  close(connection.client());
}

TEST_F(Connect, AClosedDescriptorOfPmiIsNamed) {
  set("PMI_RANK", 0);
  set("PMI_SIZE", 2);
  const int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
  for (const int descriptor : {file, 987654}) {
    set("PMI_FD", descriptor);
    const std::string text = warnings_of_connecting();
    EXPECT_NE(text.find("descriptor PMI_FD, which is closed in this process"), std::string::npos) << text;
    EXPECT_EQ(std::ranges::count(text, '\n'), 1) << text;
  }
  close(file);
}

TEST_F(Connect, PalsIsToldToUsePmix) {
  set("PALS_RANKID", 0);
  set("PMI_RANK", 0);
  set("PMI_SIZE", 3);
  const std::string text = warnings_of_connecting();
  EXPECT_NE(text.find("PALS (mpiexec of HPE Cray)"), std::string::npos) << text;
  EXPECT_NE(text.find("; start it with PMIx, which its option pmi chooses"), std::string::npos) << text;
}

TEST_F(Connect, OneTaskOfPbsSaysSo) {
  setenv("PBS_JOBID", "12.host", 1);
  set("PBS_VNODENUM", 0);  // a batch script, or the first task
  EXPECT_EQ(warnings_of_connecting(), "");
  set("PBS_VNODENUM", 1);
  refuse("error");
  const std::string text = warnings_of_connecting();
  EXPECT_NE(text.find("PBS's task manager"), std::string::npos) << text;
  EXPECT_NE(text.find("; start it with Bowline's mpiexec"), std::string::npos) << text;
  set("PBS_VNODENUM", 2);
  EXPECT_EQ(warnings_of_connecting(), "");
}

}  // namespace
}  // namespace bowline::wireup

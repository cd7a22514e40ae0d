// SPDX-License-Identifier: BSD-3-Clause
#include "wireup/launchers.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/tunable.hpp"
#include "wireup/environment_variable.hpp"

namespace bowline::wireup {
namespace {

ChoiceTunable singleton(TunableTraits(Category::start).for_users(), "singleton", {"warn", "error"},
                        "if a launcher without PMIx and PMI has started several processes, each of which would be a "
                        "job of one rank: warn and run, or fail in MPI_Init");

constexpr const char* no_server = "has started no PMIx server, and offers no PMI over a socket";
constexpr const char* closed_descriptor =
    "speaks PMI over descriptor PMI_FD, which is closed in this process: a program between them has closed it, or a "
    "rank has started this program by itself";
constexpr const char* ours = "Bowline's mpiexec, or with srun --mpi=pmix";
constexpr const char* by_srun = "srun --mpi=pmix, or with srun --mpi=pmi2 where Slurm has no PMIx";

// The first row of which all signs are there is the launcher, so the order matters: what can be spoken comes first,
// PMIx before PMI; and launchers that start their own processes by srun come before srun, whose variables their ranks
// have too. Slurm's variables alone prove nothing: the shell of an allocation has them.
// clang-format off
constexpr Launcher launchers[] = {
    // name, signs, wire, rank, size, lack, remedy
    {"a launcher with PMIx", {"PMIX_NAMESPACE", "PMIX_RANK"}, Wire::pmix, "PMIX_RANK", nullptr, "", ""},
    {"a launcher with PMI", {"PMI_FD", "PMI_RANK", "PMI_SIZE"}, Wire::pmi, "PMI_RANK", "PMI_SIZE", "", ""},
    {"a launcher with PMI", {"PMI_PORT", "PMI_ID"}, Wire::pmi, "PMI_ID", nullptr, "", ""},

    {"Open MPI's mpirun", {"OMPI_COMM_WORLD_SIZE"}, Wire::none, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
     no_server, ours},
    {"MVAPICH's mpirun_rsh", {"MPIRUN_NPROCS"}, Wire::none, "MPIRUN_RANK", "MPIRUN_NPROCS", no_server, ours},
    {"PALS (mpiexec of HPE Cray)", {"PALS_RANKID", "PMI_SIZE"}, Wire::none, "PALS_RANKID", "PMI_SIZE",
     "has started no PMIx server, and its own PMI is not spoken here", "PMIx, which its option pmi chooses"},
    {"the launcher (mpiexec of MPICH or Intel MPI, or srun --mpi=pmi2)", {"PMI_FD", "PMI_SIZE"}, Wire::none,
     "PMI_RANK", "PMI_SIZE", closed_descriptor, ours},
    {"Flux", {"FLUX_TASK_RANK", "FLUX_JOB_SIZE"}, Wire::none, "FLUX_TASK_RANK", "FLUX_JOB_SIZE",
     "offers no PMI over a socket", "flux run -o pmi=simple"},
    {"the launcher", {"PMI_SIZE"}, Wire::none, "PMI_RANK", "PMI_SIZE", no_server, ours},
    {"srun", {"SLURM_NTASKS"}, Wire::none, "SLURM_PROCID", "SLURM_NTASKS", no_server, by_srun},
    {"PBS's task manager (pbsdsh or pbs_tmrsh)", {"PBS_JOBID", "PBS_VNODENUM"}, Wire::none, "PBS_VNODENUM", nullptr,
     "tells processes nothing of each other", "Bowline's mpiexec"},
};
// clang-format on

/// Whether the descriptor that a variable names is an open socket.
bool names_socket(const char* name) {
  struct stat status {};
  return !variable(name).empty() && fstat(number(name), &status) == 0 && S_ISSOCK(status.st_mode);
}

bool is_set(const char* name) {
  return name == nullptr || !variable(name).empty();
}

bool has_started_this(const Launcher& launcher) {
  if (!std::ranges::all_of(launcher.signs, is_set)) return false;
  const bool by_descriptor = launcher.wire == Wire::pmi && std::string_view(launcher.signs.front()) == "PMI_FD";
  return !by_descriptor || names_socket("PMI_FD");
}

/// Whether this process belongs to a step of several tasks, and not to the shell of an allocation: a shell has no step,
/// or a step of its own with one task.
bool in_slurm_step() {
  return variable("SLURM_STEP_NUM_TASKS").empty() ? !variable("SLURM_STEP_ID").empty()
                                                  : number("SLURM_STEP_NUM_TASKS") > 1;
}

void tell_of_shell() {
  log::warning(
      "runs as a job of one rank, although SLURM_NTASKS is {}: it was started by hand in a Slurm shell; "
      "start it with mpiexec, or with srun --mpi=pmix, to have them all",
      number("SLURM_NTASKS"));
}

/// The launcher does not say how many processes it has started. The first one may have been started by hand.
void tell_of_task(const Launcher& launcher) {
  if (number(launcher.rank) != 1) return;
  log::warning("runs as a job of one rank: {} has started it as task 1 ({}), and {}; start it with {}", launcher.name,
               launcher.rank, launcher.lack, launcher.remedy);
}

}  // namespace

const Launcher* launcher_of_this_process() {
  const auto* const found = std::ranges::find_if(launchers, has_started_this);
  return found == std::end(launchers) ? nullptr : found;
}

void tell_of_lone_ranks(const Launcher* launcher) {
  if (launcher == nullptr || launcher->wire != Wire::none) return;
  if (launcher->size == nullptr) return tell_of_task(*launcher);
  const int size = number(launcher->size);
  if (size <= 1) return;
  if (std::string_view(launcher->size) == "SLURM_NTASKS" && !in_slurm_step()) return tell_of_shell();
  const std::string what = fmt::format("{} jobs of one rank each, although {} is {}: {} {}; start it with {}", size,
                                       launcher->size, size, launcher->name, launcher->lack, launcher->remedy);
  if (singleton.value() == "error")
    throw Error(ErrorClass::other, "this program would run as " + what + " (BOWLINE_SINGLETON=error refuses that)");
  if (number(launcher->rank) == 0) log::warning("runs as {}", what);
}

}  // namespace bowline::wireup

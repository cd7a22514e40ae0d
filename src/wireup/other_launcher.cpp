// SPDX-License-Identifier: BSD-3-Clause
#include "wireup/other_launcher.hpp"

#include <fmt/format.h>

#include <string>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/tunable.hpp"
#include "wireup/environment_variable.hpp"

namespace bowline::wireup {
namespace {

ChoiceTunable singleton(TunableTraits(Category::start).for_users(), "singleton", {"warn", "error"},
                        "if a launcher without PMIx has started several processes, each of which would be a job of one "
                        "rank: warn and run, or fail in MPI_Init");

struct Launcher {
  const char* size_variable;
  const char* rank_variable;
  const char* name;
};
// The order matters: MPICH's mpiexec starts its own processes by srun, so its ranks have Slurm's variables too.
constexpr Launcher launchers[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "Open MPI's mpirun"},
    {"MPIRUN_NPROCS", "MPIRUN_RANK", "MVAPICH's mpirun_rsh"},
    {"PMI_SIZE", "PMI_RANK", "the launcher (mpiexec of MPICH or Intel MPI, or srun --mpi=pmi2)"},
    {"SLURM_NTASKS", "SLURM_PROCID", "srun"},
};

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

}  // namespace

void check_alone() {
  for (const Launcher& launcher : launchers) {
    const int size = number(launcher.size_variable);
    if (size <= 1) continue;
    const bool slurm = std::string_view(launcher.size_variable) == "SLURM_NTASKS";
    if (slurm && !in_slurm_step()) return tell_of_shell();
    const std::string what = fmt::format(
        "{} jobs of one rank each, although {} is {}: {} has started no PMIx server; start it with {}srun --mpi=pmix",
        size, launcher.size_variable, size, launcher.name, slurm ? "" : "Bowline's mpiexec, or with ");
    if (singleton.value() == "error")
      throw Error(ErrorClass::other, "this program would run as " + what + " (BOWLINE_SINGLETON=error refuses that)");
    if (number(launcher.rank_variable) == 0) log::warning("runs as {}", what);
    return;
  }
}

}  // namespace bowline::wireup

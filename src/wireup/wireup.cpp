// SPDX-License-Identifier: BSD-3-Clause
// The choice between a launcher and none.
#include "wireup/wireup.hpp"

#include <cstdlib>
#include <string_view>

#include "base/log.hpp"

namespace bowline::wireup {
namespace {

// A PMIx server tells its clients who they are in these two variables. Slurm's own variables prove nothing: a program
// started by hand inside an allocation's shell has them too.
bool has_server() {
  return std::getenv("PMIX_NAMESPACE") != nullptr && std::getenv("PMIX_RANK") != nullptr;
}

void warn_if_srun_lacks_pmix() {
  const char* tasks = std::getenv("SLURM_NTASKS");
  const char* step = std::getenv("SLURM_STEP_ID");
  if (tasks == nullptr || step == nullptr || std::string_view(tasks) == "1") return;
  log::warning(
      "runs as a job of one rank, although SLURM_NTASKS is {}: no PMIx server was found; start it with srun --mpi=pmix",
      tasks);
}

}  // namespace

std::unique_ptr<Wireup> connect() {
  if (has_server()) return make_pmix();
  warn_if_srun_lacks_pmix();
  return make_singleton();
}

}  // namespace bowline::wireup

// SPDX-License-Identifier: BSD-3-Clause
#include "wireup/slurm_environment.hpp"

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "base/log.hpp"

namespace bowline::wireup {
namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

int number(const char* name) {
  const std::string_view text = variable(name);
  int value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  return status == std::errc() && end == text.data() + text.size() ? value : 0;
}

}  // namespace

// An example: SLURM_TOPOLOGY_ADDR is "s0.s2.node7" and SLURM_TOPOLOGY_ADDR_PATTERN "switch.switch.node". The node's
// name may contain dots.
std::string switches_above() {
  std::string_view pattern = variable("SLURM_TOPOLOGY_ADDR_PATTERN");
  const std::string_view address = variable("SLURM_TOPOLOGY_ADDR");
  std::size_t length = 0;
  while (pattern.starts_with("switch.")) {
    pattern.remove_prefix(std::string_view("switch.").size());
    const std::size_t dot = address.find('.', length);
    if (dot == std::string_view::npos) return {};
    length = dot + 1;
  }
  return length == 0 ? std::string() : std::string(address.substr(0, length - 1));
}

int step_size() {
  return number("SLURM_STEP_NUM_TASKS");
}

void warn_if_alone() {
  const int tasks = number("SLURM_NTASKS");
  if (tasks <= 1) return;
  if (std::getenv("SLURM_STEP_ID") == nullptr) {
    log::warning(
        "runs as a job of one rank, although SLURM_NTASKS is {}: it was started by hand in a Slurm shell; "
        "start it with mpiexec, or with srun --mpi=pmix, to have them all",
        tasks);
  } else if (number("SLURM_PROCID") == 0) {
    log::warning(
        "runs as {} jobs of one rank each, although SLURM_NTASKS is {}: srun has started no PMIx server; "
        "start it with srun --mpi=pmix",
        tasks, tasks);
  }
}

}  // namespace bowline::wireup

// SPDX-License-Identifier: BSD-3-Clause
#include "wireup/slurm_environment.hpp"

#include <string_view>

#include "wireup/environment_variable.hpp"

namespace bowline::wireup {

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

}  // namespace bowline::wireup

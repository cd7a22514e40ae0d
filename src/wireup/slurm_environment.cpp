// SPDX-License-Identifier: BSD-3-Clause
#include "wireup/slurm_environment.hpp"

#include <charconv>
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

int allocated_nodes() {
  return variable("SLURM_JOB_ID").empty() ? 0 : number("SLURM_JOB_NUM_NODES");
}

// An example: "4(x2),8" are 4 CPUs on each of two nodes, and 8 on one.
int allocated_cpus() {
  std::string_view text = variable("SLURM_JOB_CPUS_PER_NODE");
  const auto take_number = [&text] {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
  };
  int sum = 0;
  while (!text.empty()) {
    const int cpus = take_number();
    int nodes = 1;
    if (text.starts_with("(x")) {
      text.remove_prefix(2);
      nodes = take_number();
    }
    sum += cpus * nodes;
    const std::size_t comma = text.find(',');
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
  }
  return sum;
}

}  // namespace bowline::wireup

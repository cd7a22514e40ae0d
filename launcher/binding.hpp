// SPDX-License-Identifier: BSD-3-Clause
// Which cores each rank may run on.
#pragma once
#include <sched.h>

#include <optional>
#include <string>
#include <vector>

#include "launcher/options.hpp"

namespace bowline::launcher {

struct Binding {
  std::optional<cpu_set_t> cpus;  ///< absent: wherever mpiexec itself may run
  std::string list;               ///< of cpus, such as "0-3,8"
};

/// The choice for every rank, and why, in words for --verbose and --report-bindings.
struct BindingPlan {
  std::vector<Binding> ranks;
  std::string reason;
};

BindingPlan plan_binding(const Options& options);

}  // namespace bowline::launcher

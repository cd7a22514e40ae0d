// SPDX-License-Identifier: BSD-3-Clause
// The command line of bowline-ps as values.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace bowline::launcher {

struct PsOptions {
  std::vector<pid_t> processes;    ///< with no core file, empty: all
  std::vector<std::string> cores;  ///< core files whose queues are wanted
  bool queues = false;             ///< print message queues, not waits
  std::vector<int> attached;       ///< to these ranks gdb is to be attached
  std::string record{};            ///< where the last events of the ranks are to be written; empty: they are not wanted
  bool json = false;
  bool grouped = false;
  std::optional<std::chrono::duration<double>> watch;  ///< the time between two looks
  std::optional<std::string> help;                     ///< the help text, if only that is to be printed
};

/// Parses the arguments after the program's name. Throws UsageError, one sentence that says which argument is wrong,
/// and what is allowed.
PsOptions parse_ps_options(std::span<const std::string> arguments);

}  // namespace bowline::launcher

// SPDX-License-Identifier: BSD-3-Clause
// Runs a command for a limited time, and keeps what it says.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace bowline::launcher {

using Variables = std::vector<std::pair<std::string, std::string>>;

struct CommandEnd {
  int status = 0;  ///< as a shell tells it: 128 and the signal's number after a signal
  bool timed_out = false;
  std::string output, errors;
};

/// Runs `words` with these variables beside those of this process. If the command has not ended after `seconds`, it is
/// asked to end, and killed if it does not; it does not outlive this process. Throws LaunchError if nothing can be
/// started.
CommandEnd run_command(const std::vector<std::string>& words, const Variables& variables, double seconds);

}  // namespace bowline::launcher

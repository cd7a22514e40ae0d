// SPDX-License-Identifier: BSD-3-Clause
// Replaces mpiexec by another launcher.
#pragma once
#include <string>
#include <vector>

namespace bowline::launcher {

/// Whether PATH has a program of this name.
bool is_in_path(const std::string& program);

/// Replaces this process by `command`; `verbose`: prints the command first. Throws LaunchError.
[[noreturn]] void exec_command(const std::vector<std::string>& command, bool verbose);

}  // namespace bowline::launcher

// SPDX-License-Identifier: BSD-3-Clause
// See exec.hpp.
#include "launcher/exec.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "launcher/job_check.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {

bool is_in_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  try {
    find_program(program, "", path == nullptr ? "" : path);
  } catch (const UsageError&) {
    return false;
  }
  return true;
}

void exec_command(const std::vector<std::string>& command, bool verbose) {
  if (verbose) fmt::print(stderr, "mpiexec: {}\n", fmt::join(command, " "));
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  throw LaunchError("cannot run {}: {}", command[0], strerror(errno));
}

}  // namespace bowline::launcher

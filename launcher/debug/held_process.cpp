// SPDX-License-Identifier: BSD-3-Clause
// See held_process.hpp.
#include "launcher/debug/held_process.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <fstream>
#include <string>

#include "launcher/job/rank_process.hpp"

namespace bowline::launcher {
namespace {

pid_t debugger_of(pid_t process) {
  std::ifstream status(fmt::format("/proc/{}/status", process));
  for (std::string name, value; status >> name && std::getline(status, value);) {
    if (name == "TracerPid:") return std::stoi(value);
  }
  return 0;
}

}  // namespace

void end_gdb_of(pid_t process) {
  if (!is_ending(process)) return;
  const pid_t debugger = debugger_of(process);
  if (debugger <= 0) return;
  std::ifstream file(fmt::format("/proc/{}/comm", debugger));
  std::string name;
  if (std::getline(file, name) && name == "gdb") kill(debugger, SIGTERM);
}

}  // namespace bowline::launcher

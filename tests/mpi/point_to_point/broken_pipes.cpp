// SPDX-License-Identifier: BSD-3-Clause
// SIGPIPE: the program's disposition and mask are what they were before MPI_Init, and the threads that MPI_Init has
// started, which talk to the launcher, block the signal, so that a launcher that has gone does not end the program.
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "check.hpp"

namespace {

void note(int) {}

// Whether a thread of this process blocks SIGPIPE.
bool blocks(const std::filesystem::path& thread) {
  std::ifstream status(thread / "status");
  for (std::string line; std::getline(status, line);) {
    const std::string name = "SigBlk:";
    if (line.starts_with(name)) return (std::stoull(line.substr(name.size()), nullptr, 16) >> (SIGPIPE - 1) & 1) != 0;
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  signal(SIGPIPE, note);
  check::Program program(argc, argv);
  struct sigaction now {};
  sigaction(SIGPIPE, nullptr, &now);
  CHECK(now.sa_handler == note);

  int others = 0;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    const bool mine = thread.path().filename() == std::to_string(getpid());
    CHECK_EQ(blocks(thread.path()), !mine);
    if (!mine) ++others;
  }
  CHECK(others > 0);  // PMIx has one at least
  return program.finish();
}

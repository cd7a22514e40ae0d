// SPDX-License-Identifier: BSD-3-Clause
// The launchers that this library recognizes by the variables that they give to their processes, and what it speaks
// with each of them.
#pragma once

#include <array>

namespace bowline::wireup {

/// How the processes of a launcher find each other.
enum class Wire {
  pmix,
  pmi,
  none,  ///< not at all: each of them would be a job of one rank
};

struct Launcher {
  const char* name;                  ///< in sentences
  std::array<const char*, 3> signs;  ///< the variables that its processes have, all of them; the last ones may be null
  Wire wire;
  const char* rank;  ///< the variables that tell the rank of this process and the number of processes; null if none
  const char* size;
  const char* lack;    ///< why there is no wire, in words that follow the name
  const char* remedy;  ///< what to start the program with instead
};

/// The launcher of this process; none if nobody has started it, or somebody by hand.
const Launcher* launcher_of_this_process();

/// For a process that becomes a job of one rank. If a launcher has started several, each of them is about to run the
/// whole program. Then the first of them writes one line to standard error that says so, and what to do; with
/// BOWLINE_SINGLETON=error each throws Error (MPI_ERR_OTHER) instead. A program that was started by hand in the shell
/// of a Slurm allocation gets a line about its start, and is never refused; nor is one that PBS has started.
void tell_of_lone_ranks(const Launcher* launcher);

}  // namespace bowline::wireup

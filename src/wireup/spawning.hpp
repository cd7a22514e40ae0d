// SPDX-License-Identifier: BSD-3-Clause
// What a launcher is asked to start for MPI_Comm_spawn and MPI_Comm_spawn_multiple (MPI-5.0, section 11.8).
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace bowline::wireup {

/// One program of a new job.
struct Program {
  std::string name;                    ///< as the user gives it: a path, or a name that is searched for
  std::vector<std::string> arguments;  ///< without the name
  int processes = 1;
  std::string directory;  ///< the working directory; empty: that of this process
  std::string path;       ///< directories in which the program is searched first, separated by colons
  std::vector<std::pair<std::string, std::string>> environment;  ///< variables beside those of the launcher
  /// Where the processes run: names of options of mpiexec, without their dashes, and their values.
  std::vector<std::pair<std::string, std::string>> placement;
  /// Whether the processes of the new job go on if the job of this process fails; without a launcher and under srun
  /// also if it ends well. Of several programs, one that does decides for all.
  bool outlives = false;
};

/// A job that has been started.
class SpawnedJob {
 public:
  virtual ~SpawnedJob() = default;
  /// Why the job has ended, in words that follow "the processes ...": nothing while it runs. Throws SpawnFailure if it
  /// could not be started.
  virtual std::optional<std::string> ended() = 0;
};

/// The processes could not be started.
class SpawnFailure : public Error {
 public:
  /// `program`: the position of the program at fault; negative: none of them.
  SpawnFailure(int program, const std::string& text) : Error(ErrorClass::spawn, text), program_(program) {}
  int program() const noexcept { return program_; }

 private:
  int program_;
};

}  // namespace bowline::wireup

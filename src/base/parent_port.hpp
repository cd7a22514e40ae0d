// SPDX-License-Identifier: BSD-3-Clause
// How processes that MPI_Comm_spawn has started find those that have started them.
#pragma once

namespace bowline {

struct ParentPort {
  /// The environment variable that has the name of the port at which the parents wait.
  static constexpr const char* variable = "BOWLINE_PARENT_PORT";
  /// The environment variable that has the position of the process's program among those of one call, from 0.
  static constexpr const char* program_variable = "BOWLINE_SPAWNED_PROGRAM";
};

}  // namespace bowline

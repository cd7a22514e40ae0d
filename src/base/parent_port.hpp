// SPDX-License-Identifier: BSD-3-Clause
// How processes that MPI_Comm_spawn has started find those that have started them.
#pragma once

namespace bowline {

struct ParentPort {
  /// The environment variable that has the name of the port at which the parents wait.
  static constexpr const char* variable = "BOWLINE_PARENT_PORT";
  /// Under srun: the namespace of the job, a colon, and the position of the process's program among several.
  static constexpr const char* application_variable = "BOWLINE_SRUN_APPLICATION";
};

}  // namespace bowline

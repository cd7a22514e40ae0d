// SPDX-License-Identifier: BSD-3-Clause
// The info keys of MPI_Comm_spawn (MPI-5.0, section 11.8.4), and those of Open MPI and MPICH.
#pragma once

#include <string>
#include <vector>

#include "base/info.hpp"
#include "wireup/spawning.hpp"

namespace bowline::api {

/// What MPI_Comm_spawn is asked for: a program, and the numbers of processes that the key `soft` allows instead.
struct SpawnRequest {
  int most = 0;  ///< the number of processes that the program asks for
  wireup::Program program;
  std::vector<int> fewer;  ///< ascending, all below program.processes

  /// Throws Error for a hint that cannot be understood. Ignores keys that it does not know.
  static SpawnRequest make(std::string command, std::vector<std::string> arguments, int processes, Info hints);
  /// Goes on to the next smaller number of processes; false if there is none.
  bool ask_for_fewer();
};

/// The numbers in "2,4:16:4,1", which means 1, 2, 4, 8, 12 and 16: ascending, from 0 to `most`. Throws Error
/// (info_value).
std::vector<int> soft_numbers(const std::string& text, int most);

}  // namespace bowline::api

// SPDX-License-Identifier: BSD-3-Clause
// The algorithms of the collective operations, the rules that choose among them, and the choice for a given call.
#pragma once

#include <optional>
#include <string>

namespace bowline::launcher {

/// The query of the user.
struct CollectiveQuestion {
  std::string operation;             ///< empty: all operations
  std::optional<std::size_t> bytes;  ///< none: every length
  std::optional<int> ranks;          ///< none: no choice is printed
  bool oversubscribed = false;
  bool several_nodes = false;
  bool ordered = false;
};

/// Without a number of ranks prints algorithms and rules, with a number the algorithm that would run. Uses the tunables
/// of this process. Throws Error for invalid rules.
void print_collectives(const CollectiveQuestion& question);

}  // namespace bowline::launcher

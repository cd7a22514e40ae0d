// SPDX-License-Identifier: BSD-3-Clause
// The algorithms of the collective operations: what there is, by which rules they are chosen, and what would run.
#pragma once

#include <optional>
#include <string>

namespace bowline::launcher {

/// What the user asks about.
struct CollectiveQuestion {
  std::string operation;             ///< empty: all of them
  std::optional<std::size_t> bytes;  ///< none: every length
  std::optional<int> ranks;          ///< none: no question about what would run
  bool oversubscribed = false;
  bool several_nodes = false;
  bool ordered = false;
};

/// Without a number of ranks: algorithms and rules. With one: what would run. The tunables of this process count.
/// Throws Error for rules that are wrong.
void print_collectives(const CollectiveQuestion& question);

}  // namespace bowline::launcher

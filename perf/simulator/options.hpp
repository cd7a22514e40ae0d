// SPDX-License-Identifier: BSD-3-Clause
// The command line of the simulator.
#pragma once

#include <optional>
#include <stdexcept>
#include <vector>

#include "coll/machine/hierarchy.hpp"
#include "simulator/cluster.hpp"

namespace bowline::sim {

struct Options {
  coll::Operation operation = coll::Operation::barrier;
  std::vector<const coll::Algorithm*> algorithms;  ///< empty: what would be chosen
  std::vector<std::size_t> bytes;
  std::vector<int> nodes;
  int ranks_per_node = 1;
  int root = 0;
  bool ordered = false;
  std::size_t segment = 0;
  int calls = 1;  ///< in a row, of which each takes its share of the time
  Placement placement = Placement::block;
  std::vector<Level> known;  ///< what members know of the machine
  std::vector<coll::Hierarchy::Fixed> stages;
  Parameters parameters;
  bool list = false;
  bool print_machine = false;
  bool csv = false;
  bool quiet = false;
};

/// Its text is one sentence for the user.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The algorithms that a model of a network can run: those that need no shared memory.
std::vector<const coll::Algorithm*> by_messages(coll::Operation operation);

/// Nothing if help was asked for and has been printed. Throws UsageError.
std::optional<Options> parse(int argc, const char* const* argv);

}  // namespace bowline::sim

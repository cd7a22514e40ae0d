// SPDX-License-Identifier: BSD-3-Clause
// Selection: which algorithm serves a call.
#pragma once

#include <cstddef>

#include "coll/algorithm.hpp"
#include "coll/team.hpp"

namespace bowline::coll {

/// What is known of a call at every member, so that all choose the same.
struct Situation {
  int ranks;
  std::size_t bytes;     ///< of what one member contributes or gets: see bytes_of
  bool ordered = false;  ///< whether the operator needs the order of ranks
  bool crowded = false;  ///< whether ranks share cores
  bool shared = false;   ///< whether members may have memory that they share
};

struct Choice {
  const Algorithm* algorithm;
  std::size_t segment;  ///< in bytes; 0 if the algorithm has none
};

/// The length by which algorithms of the operation are chosen, which every member knows: that of the data of a
/// broadcast or a reduction, of one block of the other operations; 0 if no member knows those of the others.
std::size_t bytes_of(Operation operation, const Arguments& arguments) noexcept;

Situation situation_of(const Team& team, Operation operation, const Arguments& arguments) noexcept;

Choice choose(Operation operation, const Situation& situation);

}  // namespace bowline::coll

// SPDX-License-Identifier: BSD-3-Clause
// Measures how fast this process and a child of it exchange long messages through shared memory, as two ranks of a node
// would: what bowline-info says of paths.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "proto/paths/path.hpp"

namespace bowline::launcher {

/// Messages of one length.
struct MeasuredLength {
  std::size_t bytes = 0;
  std::array<double, proto::path_count>
      alone{};  ///< microseconds of a message that is answered, by Path; 0: impossible
  std::array<double, proto::path_count> in_row{};  ///< bytes per nanosecond in a row of messages
};

struct MeasuredPair {
  std::vector<MeasuredLength> lengths;
};

/// Takes a fraction of a second. Throws Error if the two cannot share memory.
MeasuredPair measure_pair();

}  // namespace bowline::launcher

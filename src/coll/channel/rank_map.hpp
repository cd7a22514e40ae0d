// SPDX-License-Identifier: BSD-3-Clause
// RankMap: which processes are the members of a team.
#pragma once

namespace bowline::coll {

/// The process of each member: an arithmetic sequence, so the world's team costs no memory, or a table that the
/// maker of the team keeps.
struct RankMap {
  int first = 0;
  int stride = 1;
  const int* table = nullptr;
  int process(int member) const noexcept { return table == nullptr ? first + member * stride : table[member]; }
};

}  // namespace bowline::coll

// SPDX-License-Identifier: BSD-3-Clause
// The cycle of ranks that wait for each other, in words, for a page about a deadlock.
#pragma once

#include <functional>
#include <string>

namespace bowline {

/// What a page knows of the ranks 0 to `ranks` - 1 of a job.
struct WhoWaits {
  int ranks = 0;
  std::function<int(int rank)> awaited;  ///< the rank for which this one waits in any case; negative: not known
  std::function<bool(int rank)> ended;   ///< whether the rank has ended
};

/// "rank 0 waits for rank 1, rank 1 for rank 0", or a chain whose last rank has ended. Empty if nothing is known, or if
/// more than eight ranks are part of it. Throws std::bad_alloc.
std::string wait_cycle_in_words(const WhoWaits& who);

}  // namespace bowline

// SPDX-License-Identifier: BSD-3-Clause
// Which collectives the ranks of a job have called on MPI_COMM_WORLD, in words, if not all have called the same.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/waits/wait_slot.hpp"

namespace bowline::launcher {

/// A line for each group of ranks that have called the same, the smallest group first: "rank 1 on host: has called 5
/// collectives, the last one MPI_Bcast with root 1". No lines if all have called the same. Ranks that have written
/// nothing are left out.
std::vector<std::string> describe_different_calls(std::span<const std::optional<WaitSlot::CallsMade>> ranks,
                                                  const std::string& host);

}  // namespace bowline::launcher

// SPDX-License-Identifier: BSD-3-Clause
// MPI_Scan and MPI_Exscan.
#pragma once

#include "coll/channel/algorithm.hpp"

namespace bowline::coll {

/// Recursive doubling: in round k a member receives, from the member 2^k below, the result of the 2^k members up to
/// that member; ceil(log2 n) rounds, one combination in each (Hillis and Steele 1986).
Task scan_recursive_doubling(Channel& channel, const Arguments& arguments);

/// Recursive doubling with two results, one with and one without the own operand: two combinations in each of ceil(log2
/// n) rounds.
Task exscan_recursive_doubling(Channel& channel, const Arguments& arguments);

/// Pipeline from rank to rank, in segments: every member sends, receives and combines all data once.
Task scan_pipeline(Channel& channel, const Arguments& arguments);
Task exscan_pipeline(Channel& channel, const Arguments& arguments);

std::span<const Algorithm> scan_algorithms() noexcept;
std::span<const Algorithm> exscan_algorithms() noexcept;

}  // namespace bowline::coll

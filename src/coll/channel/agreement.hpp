// SPDX-License-Identifier: BSD-3-Clause
// Agreement: the two algorithms by which members exchange small values about themselves, such as what memory they can
// share. Whatever members must know before they can choose an algorithm uses these. They are algorithms of
// MPI_Allgather and MPI_Bcast as well.
#pragma once

#include <cstdint>
#include <span>

#include "coll/channel/algorithm.hpp"

namespace bowline::coll {

/// Bruck: after round k a member has the blocks of the 2^k members above it; ceil(log2 n) rounds (Bruck et al. 1997).
Task allgather_bruck(Channel& channel, const Arguments& arguments);

/// Adds up the numbers of all members, in member 0, and gives all members the sums: 2 ceil(log2 n) rounds.
Task add_up(Channel& channel, std::span<std::uint64_t> numbers);

/// Binomial tree from the root; ceil(log2 n) rounds, every member receives once.
Task bcast_binomial(Channel& channel, const Arguments& arguments);

}  // namespace bowline::coll

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "coll/algorithm.hpp"

namespace bowline::coll {

/// Bruck: after round k a member has the blocks of the 2^k members above it; ceil(log2 n) rounds (Bruck et al. 1997).
Task allgather_bruck(Channel& channel, const Arguments& arguments);

/// Ring: each block travels around, one member per step; n - 1 steps, every link carries the same. Serves blocks of any
/// length.
Task allgather_ring(Channel& channel, const Arguments& arguments);

std::span<const Algorithm> allgather_algorithms() noexcept;
std::span<const Algorithm> allgatherv_algorithms() noexcept;

}  // namespace bowline::coll

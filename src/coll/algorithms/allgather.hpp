// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "coll/algorithm.hpp"

namespace bowline::coll {

/// Bruck: after round k a member has the blocks of the 2^k members above it; ceil(log2 n) rounds (Bruck et al. 1997).
Task allgather_bruck(Channel& channel, const Arguments& arguments);

std::span<const Algorithm> allgather_algorithms() noexcept;

}  // namespace bowline::coll

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "coll/channel/algorithm.hpp"

namespace bowline::coll {

/// Bruck: blocks travel through other members in ceil(log2 n) rounds, half of the blocks in each; for short blocks
/// (Bruck et al. 1997).
Task alltoall_bruck(Channel& channel, const Arguments& arguments);

// The algorithms below serve blocks of any length; empty blocks are not sent.

/// Pairwise exchange: in step i a member sends to the member i above it and receives from the member i below it; n - 1
/// steps, one transfer in each direction at a time.
Task alltoall_pairwise(Channel& channel, const Arguments& arguments);

/// Linear: exchanges with the members in the order of ranks, 16 transfers in each direction at a time. Low ranks are
/// busy first.
Task alltoall_linear(Channel& channel, const Arguments& arguments);

/// Spread: like the pairwise exchange, but 16 steps at a time: every member starts with other peers, so all are equally
/// busy.
Task alltoall_spread(Channel& channel, const Arguments& arguments);

std::span<const Algorithm> alltoall_algorithms() noexcept;
std::span<const Algorithm> alltoallv_algorithms() noexcept;

}  // namespace bowline::coll

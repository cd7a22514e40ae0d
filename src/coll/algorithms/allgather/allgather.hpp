// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "coll/algorithm.hpp"

namespace bowline::coll {

/// Bruck: after round k a member has the blocks of the 2^k members above it; ceil(log2 n) rounds (Bruck et al. 1997).
Task allgather_bruck(Channel& channel, const Arguments& arguments);

/// Recursive doubling: members at distance 1, 2, 4... exchange all that they have; log2 n rounds, no copies. For powers
/// of two (Thakur, Rabenseifner, Gropp 2005).
Task allgather_recursive_doubling(Channel& channel, const Arguments& arguments);

/// Ring: each block travels around, one member per step; n - 1 steps, every link carries the same. Serves blocks of any
/// length.
Task allgather_ring(Channel& channel, const Arguments& arguments);

/// Neighbour exchange: blocks go in pairs, in turn to the one and to the other neighbour; n / 2 steps, half those of
/// the ring, as many bytes (Chen, Zhang, Zhang, Yuan 2005). The ring where the number of members is odd.
Task allgather_neighbor_exchange(Channel& channel, const Arguments& arguments);

/// Linear: every member sends its block to every other, to the next above it first, 16 transfers in each direction at a
/// time. Nobody waits for data to be handed on. Serves blocks of any length; empty ones are not sent.
Task allgather_linear(Channel& channel, const Arguments& arguments);

/// Composed over the hierarchy of hardware as far as it has units of equally many consecutive members: gathered within
/// them, exchanged among one member of each, and broadcast within. Without such units the first algorithm of the table.
Task allgather_hierarchical(Channel& channel, const Arguments& arguments);

std::span<const Algorithm> allgather_algorithms() noexcept;
std::span<const Algorithm> allgatherv_algorithms() noexcept;

}  // namespace bowline::coll

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "coll/channel/agreement.hpp"
#include "coll/channel/algorithm.hpp"

namespace bowline::coll {

/// Recursive doubling: members at distance 1, 2, 4... exchange all that they have; log2 n rounds, no copies. For powers
/// of two (Thakur, Rabenseifner, Gropp 2005).
Task allgather_recursive_doubling(Channel& channel, const Arguments& arguments);

/// Ring: each block travels around, one member per step; n - 1 steps, equal load on every link. Serves blocks of any
/// length.
Task allgather_ring(Channel& channel, const Arguments& arguments);

/// Neighbour exchange: pairs of blocks go alternately to the lower and the higher neighbour; n / 2 steps, half those of
/// the ring, for as many bytes (Chen, Zhang, Zhang, Yuan 2005). If the number of members is odd, it uses the ring.
Task allgather_neighbor_exchange(Channel& channel, const Arguments& arguments);

/// Linear: every member sends its block to every other member, first to the next one above it, 16 transfers in each
/// direction at a time. No member forwards data. Serves blocks of any length; empty blocks are not sent.
Task allgather_linear(Channel& channel, const Arguments& arguments);

/// Composed over the hardware hierarchy, for units of equally many consecutive members: a gather within each unit, an
/// allgather among one member of each unit, and a broadcast within each unit. Without such units it runs the first
/// algorithm of the table.
Task allgather_hierarchical(Channel& channel, const Arguments& arguments);

std::span<const Algorithm> allgather_algorithms() noexcept;
std::span<const Algorithm> allgatherv_algorithms() noexcept;

}  // namespace bowline::coll

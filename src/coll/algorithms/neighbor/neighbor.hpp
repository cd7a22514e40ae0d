// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "coll/channel/algorithm.hpp"

namespace bowline::coll {

/// Linear: every block goes straight from its source to its destination. All receives start before the first send, so
/// members whose lists have different orders cannot deadlock; a few sends are pending at a time.
Task neighbor_allgather_linear(Channel& channel, const Arguments& arguments);
Task neighbor_alltoall_linear(Channel& channel, const Arguments& arguments);

/// Message-combining along the dimensions of a torus: blocks travel dimension by dimension, and all blocks with the
/// same distance in a dimension travel together. 26 neighbours in three dimensions need 6 messages instead of 26, and a
/// block takes at most one hop per dimension; for short blocks (Traeff, Carpen-Amarie, Hunold, Rougier 2016, "Message-
/// combining algorithms for isomorphic, sparse collective communication"). Needs Neighbours::torus and blocks of equal
/// length; otherwise it runs the linear algorithm.
Task neighbor_alltoall_combining(Channel& channel, const Arguments& arguments);
/// Message-combining for one block to all neighbours: neighbours with the same leading offsets share the first hops,
/// and the block makes each shared hop once.
Task neighbor_allgather_combining(Channel& channel, const Arguments& arguments);

std::span<const Algorithm> neighbor_allgather_algorithms() noexcept;
std::span<const Algorithm> neighbor_alltoall_algorithms() noexcept;

}  // namespace bowline::coll

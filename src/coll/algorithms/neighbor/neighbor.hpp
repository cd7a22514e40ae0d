// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "coll/algorithm.hpp"

namespace bowline::coll {

/// Linear: every block straight from its source to its destination. All receives are begun before the first send, so
/// that members whose lists are in different orders never wait for each other in a circle; sends go out a few at a
/// time.
Task neighbor_allgather_linear(Channel& channel, const Arguments& arguments);
Task neighbor_alltoall_linear(Channel& channel, const Arguments& arguments);

/// Message-combining along the dimensions of a torus: blocks go dimension by dimension, and all that go equally far in
/// one of them together. 26 neighbours in three dimensions are reached by 6 messages instead of 26, each block by up to
/// as many hops as there are dimensions; for short blocks (Traeff, Carpen-Amarie, Hunold, Rougier 2016, "Message-
/// combining algorithms for isomorphic, sparse collective communication"). Needs Neighbours::torus and blocks that are
/// alike; otherwise it is the linear one.
Task neighbor_alltoall_combining(Channel& channel, const Arguments& arguments);
/// The same, where neighbours with the same first offsets share the way so far, which one block goes once.
Task neighbor_allgather_combining(Channel& channel, const Arguments& arguments);

std::span<const Algorithm> neighbor_allgather_algorithms() noexcept;
std::span<const Algorithm> neighbor_alltoall_algorithms() noexcept;

}  // namespace bowline::coll

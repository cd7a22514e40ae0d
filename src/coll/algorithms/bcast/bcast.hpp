// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "coll/channel/agreement.hpp"
#include "coll/channel/algorithm.hpp"

namespace bowline::coll {

/// K-nomial tree with k = 4: ceil(log4 n) levels, on each of which a member sends to three others. Suits networks where
/// a member can start several sends before the first one arrives.
Task bcast_knomial(Channel& channel, const Arguments& arguments);

/// Pipeline along a chain, in segments: every member sends and receives all data once, after n - 2 segments.
Task bcast_chain(Channel& channel, const Arguments& arguments);

/// Pipeline down a binary tree, in segments: every member sends all data twice, after log2 n segments or so.
Task bcast_binary_tree(Channel& channel, const Arguments& arguments);

/// A scatter along a binomial tree, then an allgather in a ring: twice the data in n + log2 n rounds (Barnett et al.
/// 1994: van de Geijn's algorithm). No member is sent data that it has from the scatter (Zhou et al. 2015).
Task bcast_scatter_ring(Channel& channel, const Arguments& arguments);

/// Like bcast_scatter_ring(), with an allgather that doubles each member's data per round, like Bruck's: 2 log2 n
/// rounds.
Task bcast_scatter_doubling(Channel& channel, const Arguments& arguments);

/// Composed over the hardware hierarchy, widest units first: the data enter each node and each switch once.
Task bcast_hierarchical(Channel& channel, const Arguments& arguments);

std::span<const Algorithm> bcast_algorithms() noexcept;

}  // namespace bowline::coll

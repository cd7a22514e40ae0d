// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "coll/algorithm.hpp"

namespace bowline::coll {

/// Binomial tree to the root; ceil(log2 n) rounds, every member but the root sends once. Operands are combined in the
/// order of ranks counted from the root; if that may not be, the tree leads to member 0, which sends the result to the
/// root.
Task reduce_binomial(Channel& channel, const Arguments& arguments);

/// K-nomial tree with k = 4: ceil(log4 n) levels, on each of which a member receives from three others. Order as above.
Task reduce_knomial(Channel& channel, const Arguments& arguments);

/// Pipeline along a chain, in segments: every member sends, receives and combines all data once. If the order of
/// operands matters there are two chains, from both ends of the team to the root.
Task reduce_chain(Channel& channel, const Arguments& arguments);

/// Pipeline up a binary tree, in segments: every member receives and combines all data twice, after log2 n segments or
/// so. If the order of operands matters each side of the root is a tree.
Task reduce_binary_tree(Channel& channel, const Arguments& arguments);

/// Rabenseifner's: the vector is halved with partners at distance 1, 2, 4..., then the parts are gathered at the root
/// the other way round: twice the data in 2 log2 n rounds, combined once (Rabenseifner 2004). Where n is no power of
/// two the members beyond it fold into a neighbour first. Partners are neighbours in order, so operands keep it.
Task reduce_rabenseifner(Channel& channel, const Arguments& arguments);

/// Composed over the hierarchy of hardware, narrowest units first: one result leaves each node and each switch. Where
/// the operator does not commute and ranks of a unit are not consecutive, the first algorithm of the table.
Task reduce_hierarchical(Channel& channel, const Arguments& arguments);

std::span<const Algorithm> reduce_algorithms() noexcept;

/// Through Channel::slots: all say where their operands are. Each member then reads and combines pieces of all, in the
/// order of ranks, always the next that nobody has taken, and writes the result to the root's buffer. Where the system
/// forbids that, reduce_shares.
Task reduce_direct(Channel& channel, const Arguments& arguments);

}  // namespace bowline::coll

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "coll/channel/algorithm.hpp"

namespace bowline::coll {

/// Binomial tree to the root; ceil(log2 n) rounds, every member but the root sends once. Operands are combined in the
/// order of ranks from the root on. If the operator does not allow that, the tree leads to member 0, which sends the
/// result to the root.
Task reduce_binomial(Channel& channel, const Arguments& arguments);

/// K-nomial tree with k = 4: ceil(log4 n) levels, on each of which a member receives from three others. Operands are
/// combined in the order of reduce_binomial.
Task reduce_knomial(Channel& channel, const Arguments& arguments);

/// Pipeline along a chain, in segments: every member sends, receives and combines all data once. If the order of
/// operands matters, two chains lead from both ends of the team to the root.
Task reduce_chain(Channel& channel, const Arguments& arguments);

/// Pipeline up a binary tree, in segments: every member receives and combines all data twice, after log2 n segments or
/// so. If the order of operands matters each side of the root is a tree.
Task reduce_binary_tree(Channel& channel, const Arguments& arguments);

/// Rabenseifner's algorithm: partners at distance 1, 2, 4... halve the vector, then the root gathers the parts in the
/// opposite order: twice the data in 2 log2 n rounds, combined once (Rabenseifner 2004). If n is not a power of two,
/// surplus members first combine into a neighbour. Partners hold adjacent runs of ranks, so operands keep their order.
Task reduce_rabenseifner(Channel& channel, const Arguments& arguments);

/// Composed over the hardware hierarchy, narrowest units first: one result leaves each node and each switch. If the
/// operator does not commute and the ranks of a unit are not consecutive, the call runs the first algorithm of the
/// table.
Task reduce_hierarchical(Channel& channel, const Arguments& arguments);

std::span<const Algorithm> reduce_algorithms() noexcept;

/// Uses Channel::slots: all members publish the addresses of their operands. Each member then takes the next free
/// piece, reads and combines it from all operands in the order of ranks, and writes the result to the root's buffer. If
/// the system forbids access to other processes' memory, the call runs reduce_shares.
Task reduce_single_copy(Channel& channel, const Arguments& arguments);

}  // namespace bowline::coll

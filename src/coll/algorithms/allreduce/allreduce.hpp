// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "coll/channel/algorithm.hpp"

namespace bowline::coll {

// Every member gets the same result, bit for bit, in every run: each element is combined in an order that depends on
// the ranks only, at one member or with the same operations at all members.

/// Recursive doubling: pairs at distance 1, 2, 4... exchange and combine; log2 n rounds. If n is not a power of two,
/// surplus members first combine into a neighbour. Best for short data (Thakur, Rabenseifner, Gropp 2005).
Task allreduce_recursive_doubling(Channel& channel, const Arguments& arguments);

/// A reduction to member 0 and a broadcast from it.
Task allreduce_reduce_bcast(Channel& channel, const Arguments& arguments);

/// Reduce-scatter by halving the data with partners at distance 1, 2, 4..., allgather back; 2 log2 n rounds, twice the
/// data on every link. Keeps the order of operands, and the longest exchanges between neighbours. If n is not a power
/// of two, surplus members first combine into a neighbour, as in recursive doubling (Rabenseifner 2004).
Task allreduce_rabenseifner(Channel& channel, const Arguments& arguments);

/// Ring: parts of the data travel around and collect contributions, and then travel around once more, complete; 2 (n -
/// 1) steps, twice the data on every link for any n. For commutative operators (Patarasuk, Yuan 2009).
Task allreduce_ring(Channel& channel, const Arguments& arguments);

/// The ring with parts in segments, so that one segment is combined while others are in flight.
Task allreduce_segmented_ring(Channel& channel, const Arguments& arguments);

/// Simultaneous reduction and broadcast along one binary tree, in segments: while early segments of the result go down,
/// later operands go up. A member moves the data at most three times in each direction; the latency is that of the
/// tree. Keeps the order of operands: the tree is in the order of ranks (Traeff 2021, "A doubly-pipelined, dual-root
/// reduction-to-all algorithm", here with one root).
Task allreduce_pipelined_tree(Channel& channel, const Arguments& arguments);

/// Composed over the hardware hierarchy: reduce_hierarchical up to the widest units, an allreduce among one member of
/// each unit, and bcast_hierarchical down.
Task allreduce_hierarchical(Channel& channel, const Arguments& arguments);

std::span<const Algorithm> allreduce_algorithms() noexcept;

}  // namespace bowline::coll

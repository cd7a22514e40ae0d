// SPDX-License-Identifier: BSD-3-Clause
// The collective algorithms: each one coroutine, run by every member with matching arguments. Buffers belong to the
// caller and must outlive the task; the channel too.
#pragma once

#include <cstddef>
#include <span>

#include "base/task.hpp"
#include "coll/channel.hpp"
#include "coll/reduction.hpp"

namespace bowline::coll {

/// Dissemination: in round k every member signals the one 2^k above it; ceil(log2 n) rounds (Hensgen, Finkel, Manber
/// 1988).
Task barrier_dissemination(Channel& channel);

/// Everyone reports to member 0, which releases everyone: fewest changes of process where ranks share cores.
Task barrier_central(Channel& channel);

/// Binomial tree from the root; ceil(log2 n) rounds, every member receives once.
Task bcast_binomial(Channel& channel, int root, std::span<std::byte> data);

/// Binomial tree to the root. `data` holds this member's contribution and is overwritten; at the root it ends up as the
/// result. Operands are combined in the order of ranks counted from the root; if that may not be, the tree leads to
/// member 0, which sends the result to the root.
Task reduce_binomial(Channel& channel, int root, const Reduction& reduction, std::span<std::byte> data);

/// Recursive doubling: pairs at distance 1, 2, 4... exchange and combine; every member ends with the result, bit for
/// bit the same. Where n is no power of two the members beyond it fold into a neighbour first. Best for short data.
Task allreduce_recursive_doubling(Channel& channel, const Reduction& reduction, std::span<std::byte> data);

/// A reduction to member 0 and a broadcast from it: moves long data fewer times.
Task allreduce_reduce_bcast(Channel& channel, const Reduction& reduction, std::span<std::byte> data);

/// Every member's block at every member, in the order of ranks: `all` holds this member's own in its place. After round
/// k a member has the blocks of the 2^k above it; ceil(log2 n) rounds (Bruck et al. 1997).
Task allgather_bruck(Channel& channel, std::span<std::byte> all);

}  // namespace bowline::coll

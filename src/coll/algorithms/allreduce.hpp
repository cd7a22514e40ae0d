// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "coll/algorithm.hpp"

namespace bowline::coll {

/// Recursive doubling: pairs at distance 1, 2, 4... exchange and combine; every member ends with the result, bit for
/// bit the same. Where n is no power of two the members beyond it fold into a neighbour first. Best for short data.
Task allreduce_recursive_doubling(Channel& channel, const Arguments& arguments);

/// A reduction to member 0 and a broadcast from it.
Task allreduce_reduce_bcast(Channel& channel, const Arguments& arguments);

/// Composed over the hierarchy of hardware: reduce_hierarchical up to the widest units, an allreduce among one member
/// of each, and bcast_hierarchical down.
Task allreduce_hierarchical(Channel& channel, const Arguments& arguments);

std::span<const Algorithm> allreduce_algorithms() noexcept;

}  // namespace bowline::coll

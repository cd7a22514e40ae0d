// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "coll/algorithm.hpp"

namespace bowline::coll {

/// Binomial tree to the root; ceil(log2 n) rounds, every member but the root sends once. Operands are combined in the
/// order of ranks counted from the root; if that may not be, the tree leads to member 0, which sends the result to the
/// root.
Task reduce_binomial(Channel& channel, const Arguments& arguments);

/// Composed over the hierarchy of hardware, narrowest units first: one result leaves each node and each switch. Where
/// the operator does not commute and ranks of a unit are not consecutive, the first algorithm of the table.
Task reduce_hierarchical(Channel& channel, const Arguments& arguments);

std::span<const Algorithm> reduce_algorithms() noexcept;

}  // namespace bowline::coll

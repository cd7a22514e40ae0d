// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "coll/algorithm.hpp"

namespace bowline::coll {

/// Binomial tree to the root; ceil(log2 n) rounds, every member but the root sends once. Operands are combined in the
/// order of ranks counted from the root; if that may not be, the tree leads to member 0, which sends the result to the
/// root.
Task reduce_binomial(Channel& channel, const Arguments& arguments);

std::span<const Algorithm> reduce_algorithms() noexcept;

/// Through Channel::slots: the others say where their operands are, and the root reads and combines them, in the order
/// of ranks. Where the system forbids that, reduce_shares.
Task reduce_direct(Channel& channel, const Arguments& arguments);

}  // namespace bowline::coll

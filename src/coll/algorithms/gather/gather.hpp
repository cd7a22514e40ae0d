// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "coll/algorithm.hpp"

namespace bowline::coll {

/// Every member sends its block to the root, which has a few receives under way at a time. Empty blocks are not sent.
/// Serves the v-form as well: members need not know the lengths of others.
Task gather_linear(Channel& channel, const Arguments& arguments);

/// The same in segments, by turns from several members: what is on its way to the root is bounded, and several members
/// copy at a time.
Task gather_linear_segmented(Channel& channel, const Arguments& arguments);

/// Binomial tree to the root; ceil(log2 n) rounds. A member passes on the blocks of its subtree, which it keeps in
/// memory of its own meanwhile: n/2 blocks at most (Thakur, Rabenseifner, Gropp 2005).
Task gather_binomial(Channel& channel, const Arguments& arguments);

/// Composed over the hierarchy of hardware as far as it has units of equally many consecutive members: within them,
/// then to the root among one member of each, which keeps the blocks of its unit. Without such units the first of the
/// table.
Task gather_hierarchical(Channel& channel, const Arguments& arguments);

std::span<const Algorithm> gather_algorithms() noexcept;
std::span<const Algorithm> gatherv_algorithms() noexcept;

}  // namespace bowline::coll

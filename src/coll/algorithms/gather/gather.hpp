// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "coll/channel/algorithm.hpp"

namespace bowline::coll {

/// Every member sends its block to the root, which keeps a few receives pending. Empty blocks are not sent. Also serves
/// the v-form, because members need not know the lengths of others.
Task gather_linear(Channel& channel, const Arguments& arguments);

/// Like gather_linear(), in segments, alternately from several members: this bounds the data in flight to the root, and
/// several members copy at the same time.
Task gather_linear_segmented(Channel& channel, const Arguments& arguments);

/// Binomial tree to the root; ceil(log2 n) rounds. A member forwards the blocks of its subtree, at most n/2 blocks,
/// from a buffer of its own (Thakur, Rabenseifner, Gropp 2005).
Task gather_binomial(Channel& channel, const Arguments& arguments);

/// Composed over the hardware hierarchy, for units of equally many consecutive members: first within the units, then to
/// the root among one member of each unit, which holds the unit's blocks. Without such units it runs the first
/// algorithm of the table.
Task gather_hierarchical(Channel& channel, const Arguments& arguments);

std::span<const Algorithm> gather_algorithms() noexcept;
std::span<const Algorithm> gatherv_algorithms() noexcept;

}  // namespace bowline::coll

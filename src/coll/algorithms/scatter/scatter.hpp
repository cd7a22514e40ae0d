// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "coll/channel/algorithm.hpp"

namespace bowline::coll {

/// The root sends every member its block, with a few sends pending. Empty blocks are not sent. Also serves the v-form,
/// because members need not know the lengths of others.
Task scatter_linear(Channel& channel, const Arguments& arguments);

/// Like scatter_linear(), in segments, alternately to several members: this bounds the data in flight from the root,
/// and several members copy at the same time.
Task scatter_linear_segmented(Channel& channel, const Arguments& arguments);

/// Binomial tree from the root; ceil(log2 n) rounds. A member forwards the blocks of its subtree, at most n/2 blocks,
/// from a buffer of its own (Thakur, Rabenseifner, Gropp 2005).
Task scatter_binomial(Channel& channel, const Arguments& arguments);

/// Composed over the hardware hierarchy, for units of equally many consecutive members: first from the root to one
/// member of each unit, which holds the blocks of its unit, then within the units. Without such units it runs the first
/// algorithm of the table.
Task scatter_hierarchical(Channel& channel, const Arguments& arguments);

std::span<const Algorithm> scatter_algorithms() noexcept;
std::span<const Algorithm> scatterv_algorithms() noexcept;

}  // namespace bowline::coll

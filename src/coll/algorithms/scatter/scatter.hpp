// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "coll/algorithm.hpp"

namespace bowline::coll {

/// The root sends every member its block, with a few sends under way at a time. Empty blocks are not sent. Serves the
/// v-form as well: members need not know the lengths of others.
Task scatter_linear(Channel& channel, const Arguments& arguments);

/// The same in segments, by turns to several members: what is on its way from the root is bounded, and several members
/// copy at a time.
Task scatter_linear_segmented(Channel& channel, const Arguments& arguments);

/// Binomial tree from the root; ceil(log2 n) rounds. A member passes on the blocks of its subtree, which it keeps in
/// memory of its own meanwhile: n/2 blocks at most (Thakur, Rabenseifner, Gropp 2005).
Task scatter_binomial(Channel& channel, const Arguments& arguments);

/// Composed over the hierarchy of hardware as far as it has units of equally many consecutive members: from the root to
/// one member of each, which keeps the blocks of its unit, then within them. Without such units the first of the table.
Task scatter_hierarchical(Channel& channel, const Arguments& arguments);

std::span<const Algorithm> scatter_algorithms() noexcept;
std::span<const Algorithm> scatterv_algorithms() noexcept;

}  // namespace bowline::coll

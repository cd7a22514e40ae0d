// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "coll/algorithm.hpp"

namespace bowline::coll {

/// The root sends every member its block, with a few sends under way at a time. Empty blocks are not sent. Serves the
/// v-form as well: members need not know the lengths of others.
Task scatter_linear(Channel& channel, const Arguments& arguments);

/// Binomial tree from the root; ceil(log2 n) rounds. A member passes on the blocks of its subtree, which it keeps in
/// memory of its own meanwhile: n/2 blocks at most (Thakur, Rabenseifner, Gropp 2005).
Task scatter_binomial(Channel& channel, const Arguments& arguments);

std::span<const Algorithm> scatter_algorithms() noexcept;
std::span<const Algorithm> scatterv_algorithms() noexcept;

}  // namespace bowline::coll

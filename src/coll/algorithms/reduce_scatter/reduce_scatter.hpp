// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "coll/channel/algorithm.hpp"

namespace bowline::coll {

// All serve blocks of any length.

/// A binomial reduction to member 0, which then sends every member its block. Keeps the order of operands.
Task reduce_scatter_reduce_scatter(Channel& channel, const Arguments& arguments);

/// Recursive halving: partners at distance n / 2, n / 4 ... 1 exchange the halves that they do not need; log2 n rounds,
/// and two more if n is not a power of two: pairs of members then act as one. For commutative operators (Thakur,
/// Rabenseifner, Gropp 2005).
Task reduce_scatter_recursive_halving(Channel& channel, const Arguments& arguments);

/// Pairwise exchange: in step i a member sends its contribution directly to the member i above it, and meanwhile
/// combines the contribution of the member i below it; n - 1 steps. Keeps the order of operands (Thakur, Rabenseifner,
/// Gropp 2005, who describe it for commutative operators).
Task reduce_scatter_pairwise(Channel& channel, const Arguments& arguments);

/// Ring: each block travels around and collects contributions; n - 1 steps between neighbours. For commutative
/// operators.
Task reduce_scatter_ring(Channel& channel, const Arguments& arguments);

std::span<const Algorithm> reduce_scatter_algorithms() noexcept;
std::span<const Algorithm> reduce_scatter_block_algorithms() noexcept;

}  // namespace bowline::coll

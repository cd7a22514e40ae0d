// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "coll/algorithm.hpp"

namespace bowline::coll {

/// Binomial tree from the root; ceil(log2 n) rounds, every member receives once.
Task bcast_binomial(Channel& channel, const Arguments& arguments);

/// Composed over the hierarchy of hardware, widest units first: the data enter each node and each switch once.
Task bcast_hierarchical(Channel& channel, const Arguments& arguments);

std::span<const Algorithm> bcast_algorithms() noexcept;

}  // namespace bowline::coll

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "coll/channel/algorithm.hpp"

namespace bowline::coll {

/// Dissemination: in round k every member signals the member 2^k above it; ceil(log2 n) rounds (Hensgen, Finkel, Manber
/// 1988).
Task barrier_dissemination(Channel& channel, const Arguments& arguments);

/// All members report to member 0, which releases them: fewest context switches if ranks share cores.
Task barrier_central(Channel& channel, const Arguments& arguments);

/// Tree: reports go up a tree in which every member has four children, and the release comes down. It sends as many
/// messages as the central barrier, but no member handles more than ten; 2 log4 n rounds.
Task barrier_tree(Channel& channel, const Arguments& arguments);

/// Composed over the hardware hierarchy: reports go up to one member of each unit, these members synchronize, and the
/// release goes down.
Task barrier_hierarchical(Channel& channel, const Arguments& arguments);

std::span<const Algorithm> barrier_algorithms() noexcept;

}  // namespace bowline::coll

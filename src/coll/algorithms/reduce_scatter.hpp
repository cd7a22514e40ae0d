// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "coll/algorithm.hpp"

namespace bowline::coll {

/// A binomial reduction to member 0, which then sends every member its block. Keeps the order of operands.
Task reduce_scatter_reduce_scatter(Channel& channel, const Arguments& arguments);

std::span<const Algorithm> reduce_scatter_algorithms() noexcept;
std::span<const Algorithm> reduce_scatter_block_algorithms() noexcept;

}  // namespace bowline::coll

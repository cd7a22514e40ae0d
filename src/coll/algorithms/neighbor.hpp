// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "coll/algorithm.hpp"

namespace bowline::coll {

/// Linear: every block straight from its source to its destination. All receives are begun before the first send, so
/// that members whose lists are in different orders never wait for each other in a circle; sends go out a few at a
/// time.
Task neighbor_allgather_linear(Channel& channel, const Arguments& arguments);
Task neighbor_alltoall_linear(Channel& channel, const Arguments& arguments);

std::span<const Algorithm> neighbor_allgather_algorithms() noexcept;
std::span<const Algorithm> neighbor_alltoall_algorithms() noexcept;

}  // namespace bowline::coll

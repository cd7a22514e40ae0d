// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "coll/algorithm.hpp"

namespace bowline::coll {

/// Pairwise exchange: in step i a member sends to the one i above it and receives from the one i below; n - 1 steps,
/// one transfer in each direction at a time. Serves blocks of any length; empty ones are not sent.
Task alltoall_pairwise(Channel& channel, const Arguments& arguments);

std::span<const Algorithm> alltoall_algorithms() noexcept;
std::span<const Algorithm> alltoallv_algorithms() noexcept;

}  // namespace bowline::coll

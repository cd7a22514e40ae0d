// SPDX-License-Identifier: BSD-3-Clause
// The blocking collectives: choose an algorithm for the team and drive it to its end.
#pragma once

#include <cstddef>
#include <span>

#include "coll/algorithms.hpp"
#include "coll/team.hpp"

namespace bowline::coll {

// Every member of the team calls the same collectives in the same order. Throws Error if a transfer fails.

void barrier(Team& team);
/// `data` is contiguous; every member gives the same length.
void bcast(Team& team, int root, std::span<std::byte> data);
/// `data` holds this member's contribution, and at the root the result afterwards; elsewhere it is used as scratch.
void reduce(Team& team, int root, const Reduction& reduction, std::span<std::byte> data);
/// `data` holds this member's contribution and the result afterwards.
void allreduce(Team& team, const Reduction& reduction, std::span<std::byte> data);

/// `all`: a block for each member, of which this member's is filled in, and afterwards all are.
void allgather(Team& team, std::span<std::byte> all);

}  // namespace bowline::coll

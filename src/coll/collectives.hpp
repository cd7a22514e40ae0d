// SPDX-License-Identifier: BSD-3-Clause
// Carrying out a collective operation: choose an algorithm for the team and the arguments, and begin it. The blocking
// form drives it to its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "coll/algorithm.hpp"
#include "coll/team.hpp"

namespace bowline::coll {

/// Which of its forms of a collective the user has called, or that a function of another kind needs it.
enum class Form : std::uint8_t { blocking, nonblocking, persistent, internal };

/// The algorithm for a call among members of the team by messages; sets the arguments' segment.
const Algorithm& select(Team& team, Operation operation, Arguments& arguments);

/// The chosen algorithm as a task over this channel of the team; `arguments`, whose segment is set here, must outlive
/// it, as the channel must.
Task begin(Team& team, Channel& channel, Operation operation, Arguments& arguments, Form form = Form::nonblocking);

/// The caller's thread, which holds the lane's lock, carries the operation out. Every member of the team calls the same
/// collectives in the same order. Throws Error if a transfer fails.
void run(Team& team, Operation operation, Arguments& arguments, Form form = Form::blocking);

// What communicators are made with.

/// Every member gives the same length.
void bcast(Team& team, int root, std::span<std::byte> data);
/// `all`: a block for each member, of which this member's is filled in, and afterwards all are.
void allgather(Team& team, std::span<std::byte> all);

}  // namespace bowline::coll

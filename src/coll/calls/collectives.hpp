// SPDX-License-Identifier: BSD-3-Clause
// Executes a collective operation: chooses an algorithm for the team and the arguments and starts it. The blocking form
// drives it to its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "coll/channel/algorithm.hpp"
#include "coll/channel/call_kind.hpp"
#include "coll/team/team.hpp"

namespace bowline::coll {

class TeamChannel;

/// The algorithm for a call that uses messages among members of the team; sets the arguments' segment.
const Algorithm& select(Team& team, Operation operation, Arguments& arguments);

/// What all members must give alike.
inline CallDetails details_of(Operation operation, const Arguments& arguments) noexcept {
  return {.root = has_root(operation) ? arguments.root : -1,
          .op = arguments.reduction == nullptr ? dtype::Operator::count_ : arguments.reduction->op().predefined_as(),
          .type = is_among_neighbours(operation) ? dtype::Signature::any : arguments.type};
}

/// Chooses an algorithm and returns it as a task over this channel. Sets the segment of `arguments`, which must outlive
/// the task; so must the channel.
Task begin(TeamChannel& channel, Operation operation, Arguments& arguments, CallForm form = CallForm::nonblocking);

/// What must be done before a call of a team that is `unprepared`: its members exchange their switches. Throws Error if
/// the team is interrupted.
void prepare_call(Team& team);

/// Executes the operation in the caller's thread, which holds the lane's lock. Every member of the team calls the same
/// collectives in the same order. Throws Error if a transfer fails.
void run(Team& team, Operation operation, Arguments& arguments, CallForm form = CallForm::blocking);

// The collectives that make communicators.

/// Broadcasts the root's data to all members. Every member gives the same length.
void bcast(Team& team, int root, std::span<std::byte> data);
/// `all`: a block for each member. The caller fills in this member's block; afterwards all are filled in.
void allgather(Team& team, std::span<std::byte> all);

}  // namespace bowline::coll

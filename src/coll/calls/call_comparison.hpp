// SPDX-License-Identifier: BSD-3-Clause
// With the tunable `check_collectives` the members of a communicator exchange descriptions of their calls before they
// execute a collective. If the calls do not match, all members get an error that names two of them, instead of wrong
// data or a deadlock.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/task.hpp"
#include "coll/channel/algorithm.hpp"
#include "coll/channel/call_kind.hpp"
#include "coll/team/team.hpp"

namespace bowline::coll {

/// The description of one member's call, which it sends to the others.
struct Call {
  std::uint32_t mark;  ///< says that these bytes are a description
  std::int32_t rank;
  Operation operation;
  CallForm form;
  bool knows_bytes;   ///< whether all members know `bytes`
  bool bystander;     ///< whether the member gave MPI_PROC_NULL as root, and so neither data nor operator
  std::int32_t root;  ///< -1: no root, or not known to this member
  std::uint64_t bytes;
  std::uint64_t segment;
  std::array<char, 32> algorithm;
  std::array<char, 32> op;    ///< empty: not a reduction
  std::array<char, 64> type;  ///< datatype of the reduction, if it is predefined
};

Call describe(Team& team, Operation operation, CallForm form, const Arguments& arguments);
/// Describes an agreement of the members, which no algorithm of the registry serves.
Call describe_agreement(const Team& team);
/// Describes a call on an intercommunicator, in which members of the two groups give different arguments.
Call describe_inter(int rank, Operation operation, CallForm form, const Arguments& arguments);

/// Completes if the calls of all members of the channel match. Otherwise all members get an Error that names the first
/// two members whose calls differ. Costs ceil(log2 n) rounds.
Task agree(Channel& channel, Call mine);
/// Runs `body` after agree(). If the calls do not match, no member starts `body`.
Task checked(Channel& channel, Call mine, Task body);

}  // namespace bowline::coll

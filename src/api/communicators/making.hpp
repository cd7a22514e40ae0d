// SPDX-License-Identifier: BSD-3-Clause
// Helpers for making communicators.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "api/entry/this_process.hpp"
#include "base/info.hpp"
#include "base/lock.hpp"
#include "coll/calls/collectives.hpp"
#include "comm/communicator.hpp"
#include "comm/communicators.hpp"
#include "comm/group.hpp"

namespace bowline::api {

/// All members of the communicator, in both groups, agree on the context id of a new one. Collective.
inline comm::ContextId agree(comm::Communicator& comm) {
  const LockGuard lane(comm.engine().lock());
  return this_process().communicators().agree(comm.team());
}

/// The values of all members of the team, in the order of their ranks. Collective.
template <class Value>
std::vector<Value> gather_all(coll::Team& team, const Value& mine) {
  static_assert(std::is_trivially_copyable_v<Value>);
  std::vector<Value> all(static_cast<std::size_t>(team.size));
  all[static_cast<std::size_t>(team.rank)] = mine;
  const LockGuard lane(team.engine.lock());
  coll::allgather(team, std::as_writable_bytes(std::span(all)));
  return all;
}

/// Makes a communicator of these members; returns MPI_COMM_NULL if this process is not a member. The communicator
/// inherits the parent's error handler.
MPI_Comm make_or_decline(const comm::Communicator& parent, comm::ContextId id, const comm::Group& members);
/// Makes an intercommunicator of two groups. This process is in `local` or in neither group. Returns MPI_COMM_NULL if
/// it is in neither group, or if a group is empty.
MPI_Comm make_or_decline(const comm::Communicator& parent, comm::ContextId id, const comm::Group& local,
                         const comm::Group& remote, bool local_first);

/// Makes a duplicate of `parent`, without its attributes.
comm::Communicator& make_like(comm::Communicator& parent, comm::ContextId id, const Info& hints);

/// Receives the handle of a communicator that is made later.
struct Recipient {
  void (*deliver)(void* place, MPI_Comm made);
  void* place;
};
/// Begins MPI_Comm_idup_with_info.
void begin_duplicate(comm::Communicator& comm, MPI_Info info, Recipient target, MPI_Request* request);
/// Begins MPIX_Comm_ishrink.
void begin_shrink(comm::Communicator& comm, Recipient target, MPI_Request* request);

/// Stores the user's hints that Bowline knows, and ignores all other hints.
void note_hints(comm::Communicator& comm, const Info& hints);

/// One process of a split. Processes are ordered by key, and by their old rank if the keys are equal.
struct SplitPlace {
  int color;
  int key;
};
/// The members of `old` with this color, ordered as in a split. `places`: by rank in `old`.
comm::Group split_group(const comm::Group& old, std::span<const SplitPlace> places, int color);

/// Splits the communicator. Collective. Returns the communicator of the members with this color; MPI_COMM_NULL if
/// `color` is MPI_UNDEFINED. `places`: of all members in the order of the team, which has both groups of an
/// intercommunicator.
MPI_Comm split_by(comm::Communicator& comm, std::span<const SplitPlace> places, int color);
/// Splits the communicator by the color and key that each member passes. Collective.
MPI_Comm split(comm::Communicator& comm, SplitPlace mine);

}  // namespace bowline::api

// SPDX-License-Identifier: BSD-3-Clause
// What the functions that make communicators share.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "api/entry/handles.hpp"
#include "base/info.hpp"
#include "base/lock.hpp"
#include "coll/collectives.hpp"
#include "comm/communicators.hpp"

namespace bowline::api {

/// All members of the communicator, of both groups, agree on the context id of a new one.
inline comm::ContextId agree(comm::Communicator& comm) {
  const LockGuard lane(comm.engine().lock());
  return this_process().communicators().agree(comm.team());
}

/// What every member of the team says, in the order of its ranks.
template <class Value>
std::vector<Value> gather_all(coll::Team& team, const Value& mine) {
  static_assert(std::is_trivially_copyable_v<Value>);
  std::vector<Value> all(static_cast<std::size_t>(team.size));
  all[static_cast<std::size_t>(team.rank)] = mine;
  const LockGuard lane(team.engine.lock());
  coll::allgather(team, std::as_writable_bytes(std::span(all)));
  return all;
}

/// A communicator of these members for this process, or MPI_COMM_NULL if it is none of them. It inherits the parent's
/// error handler.
MPI_Comm make_or_decline(const comm::Communicator& parent, comm::ContextId id, const comm::Group& members);
/// The same of two groups: this process is in `local`, or in neither. MPI_COMM_NULL if one of them is empty.
MPI_Comm make_or_decline(const comm::Communicator& parent, comm::ContextId id, const comm::Group& local,
                         const comm::Group& remote, bool local_first);

/// Gives a new communicator what a duplicate of `parent` has, attributes apart.
comm::Communicator& make_like(comm::Communicator& parent, comm::ContextId id, const Info& hints);

/// Notes those of the user's hints that are known; the rest means nothing here.
void note_hints(comm::Communicator& comm, const Info& hints);

/// One process of a split: ordered by key, those of the same key by their rank before.
struct SplitPlace {
  int color;
  int key;
};
/// The members of `old` with this color, of those that stand from `first` on in `places`.
comm::Group split_group(const comm::Group& old, std::span<const SplitPlace> places, int color);

/// Splits the communicator, collectively: this process goes with those that have this color, or with nobody if it is
/// MPI_UNDEFINED. `places`: of all members in the order of the team, that is of both groups of an intercommunicator.
MPI_Comm split_by(comm::Communicator& comm, std::span<const SplitPlace> places, int color);
/// The same by what each member says.
MPI_Comm split(comm::Communicator& comm, SplitPlace mine);

}  // namespace bowline::api

// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, chapter 7: communicators. So far the predefined ones, their duplicates, and what can be asked of them.
#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "api/handles.hpp"
#include "api/requests.hpp"
#include "bodies.hpp"
#include "coll/collectives.hpp"

namespace bowline::api {
namespace {

/// The largest of what the members say, entry by entry.
template <std::size_t n>
void agree_on_largest(coll::Team& team, std::array<int, n>& values) {
  const coll::Reduction largest{*dtype::predefined_op(handle_value(MPI_MAX)),
                                *dtype::predefined_datatype(handle_value(MPI_INT)), n};
  coll::allreduce(team, largest, std::as_writable_bytes(std::span(values)));
}

/// What all members will call a new communicator.
struct Name {
  std::uint32_t index;
  unsigned lane;
};

/// Finds an index that is free in every member, and the lane. A member proposes its first free index, the largest is
/// claimed by all; if some member has just given it to another communicator, they try again.
Name agree_on_name(coll::Team& team) {
  const int lanes = static_cast<int>(runtime().lanes().count());
  for (std::uint32_t least = 0;; ++least) {
    least = runtime().free_index(least);
    std::array<int, 2> proposal{static_cast<int>(least), -lanes};  // the fewest lanes that a member has
    agree_on_largest(team, proposal);
    const auto index = static_cast<std::uint32_t>(proposal[0]);
    const bool claimed = runtime().claim_index(index);
    std::array<int, 1> taken{claimed ? 0 : 1};
    agree_on_largest(team, taken);
    if (taken[0] == 0) return {index, index % static_cast<unsigned>(-proposal[1])};
    if (claimed) runtime().give_back_index(index);
  }
}

}  // namespace

void comm_rank(comm::Communicator& comm, int* rank) {
  *rank = comm.rank();
}
void comm_size(comm::Communicator& comm, int* size) {
  *size = comm.size();
}

void comm_compare(comm::Communicator& comm1, comm::Communicator& comm2, int* result) {
  if (&comm1 == &comm2) {
    *result = MPI_IDENT;
    return;
  }
  switch (comm::Group::compare(comm1.group(), comm2.group())) {
    case comm::Likeness::identical:
      *result = MPI_CONGRUENT;
      return;
    case comm::Likeness::similar:
      *result = MPI_SIMILAR;
      return;
    case comm::Likeness::different:
      *result = MPI_UNEQUAL;
  }
}

void comm_get_name(comm::Communicator& comm, char* comm_name, int* resultlen) {
  std::memcpy(comm_name, comm.name().c_str(), comm.name().size() + 1);
  *resultlen = static_cast<int>(comm.name().size());
}

void comm_dup(comm::Communicator& comm, MPI_Comm* newcomm) {
  const Name name = agree_on_name(comm.team());
  comm::Communicator& made = runtime().duplicate(comm, name.index, name.lane);
  *newcomm = MPI_COMM_NULL;
  try {
    comm.attributes().copy_to(made.attributes(), to_handle(comm));
  } catch (...) {
    made.attributes().remove_all(to_handle(made));
    runtime().remove(made);
    throw;
  }
  *newcomm = to_handle(made);
}

// Its index is not used again: operations that were begun on it may still be going on.
void comm_free(MPI_Comm* comm) {
  comm::Communicator* const freed = find_comm(*comm);
  if (freed == nullptr || freed == runtime().world() || freed == runtime().public_self()) {
    throw Error(ErrorClass::comm, "comm is no communicator that can be freed: give one that was made by this program");
  }
  freed->attributes().remove_all(to_handle(*freed));
  // Messages in its own buffer refer to it until they have left.
  wait_anywhere(
      [&buffer = freed->bsend_buffer(), latest = freed->bsend_buffer().latest()] { return buffer.left(latest); });
  {
    const LockGuard lane(freed->engine().lock());
    coll::barrier(freed->team());
  }
  runtime().remove(*freed);
  *comm = MPI_COMM_NULL;
}

}  // namespace bowline::api

// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, section 7.4.2: duplicates, splits and parts of communicators, also of intercommunicators.
#include <fmt/format.h>

#include <cstring>
#include <vector>

#include "api/communicators/making.hpp"
#include "api/entry/communicator_handles.hpp"
#include "api/entry/validators.hpp"
#include "api/environment/info_handles.hpp"
#include "base/error.hpp"
#include "bodies.hpp"
#include "comm/errhandler.hpp"
#include "comm/group.hpp"

namespace bowline::api {
namespace {

void duplicate(comm::Communicator& comm, const Info& hints, MPI_Comm* newcomm) {
  *newcomm = MPI_COMM_NULL;
  comm::Communicator& made = make_like(comm, agree(comm), hints);
  try {
    comm.attributes().copy_to(made.attributes(), to_handle(comm));
  } catch (...) {
    made.attributes().remove_all(to_handle(made));
    this_process().communicators().unmake(made);
    throw;
  }
  *newcomm = to_handle(made);
}

void check_part(const comm::Group& group, const comm::Group& whole) {
  for (int rank = 0; rank < group.size(); ++rank) {
    if (whole.rank_of(group.process(rank)) == comm::Group::no_rank) {
      throw Error(ErrorClass::group,
                  fmt::format("group has a process, its rank {}, that is not in the group of comm: give a part of what "
                              "MPI_Comm_group gives",
                              rank));
    }
  }
}

/// Each side of an intercommunicator determines which of its members the new one has, and in which order.
MPI_Comm create_between(comm::Communicator& comm, const comm::Group& group) {
  const int mine = group.rank_of(comm.group().process(comm.rank()));
  const bool member = mine != comm::Group::no_rank;
  return split(comm, {.color = member ? 0 : MPI_UNDEFINED, .key = mine});
}

}  // namespace

void comm_dup(comm::Communicator& comm, MPI_Comm* newcomm) {
  duplicate(comm, Info(), newcomm);
}

void comm_dup_with_info(comm::Communicator& comm, MPI_Info info, MPI_Comm* newcomm) {
  duplicate(comm, *hints_of(info), newcomm);
}

// Members pass the group to which they belong, and these groups have no members in common. So one context id serves all
// of them.
void comm_create(comm::Communicator& comm, const comm::Group& group, MPI_Comm* newcomm) {
  check_part(group, comm.group());
  *newcomm = comm.inter() ? create_between(comm, group) : make_or_decline(comm, agree(comm), group);
}

void comm_create_group(comm::Communicator& comm, const comm::Group& group, int tag, MPI_Comm* newcomm) {
  check::intra(comm, "comm");
  check_part(group, comm.group());
  comm::Communicators& all = this_process().communicators();
  *newcomm = MPI_COMM_NULL;
  if (group.rank_of(all.process()) == comm::Group::no_rank) return;
  comm::KeyHash key;
  key.add("create_group").add(comm.context()).add(static_cast<std::uint64_t>(tag));
  key.add(group, this_process().processes());
  *newcomm = make_or_decline(comm, all.agree(group, key.value()), group);
}

void comm_create_from_group(const comm::Group& group, const char* stringtag, MPI_Info info,
                            comm::ErrorHandler& errhandler, MPI_Comm* newcomm) {
  comm::Communicators& all = this_process().communicators();
  *newcomm = MPI_COMM_NULL;
  check::fits(errhandler, comm::ErrorHandler::Handles::communicator, "a communicator");
  const auto hints = hints_of(info);
  if (group.size() == 0) return;
  if (group.rank_of(all.process()) == comm::Group::no_rank) {
    throw Error(ErrorClass::group, "group does not have this process: only the members of the group call this");
  }
  comm::KeyHash key;
  key.add("from_group").add(stringtag).add(group, this_process().processes());
  comm::Communicator& made = all.make(all.agree(group, key.value()), group);
  made.set_error_handler(errhandler);
  this_process().handler_chosen(made);
  note_hints(made, *hints);
  *newcomm = to_handle(made);
}

void comm_split(comm::Communicator& comm, int color, int key, MPI_Comm* newcomm) {
  if (color < 0 && color != MPI_UNDEFINED) {
    throw Error(ErrorClass::arg, fmt::format("color is {}, but a color is 0 or more, or MPI_UNDEFINED", color));
  }
  *newcomm = split(comm, {color, key});
}

}  // namespace bowline::api

// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, sections 7.4 and 7.8: inquiry functions of communicators, their names and hints, and freeing them.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "api/communicators/making.hpp"
#include "api/entry/communicator_handles.hpp"
#include "api/entry/group_handles.hpp"
#include "api/entry/validators.hpp"
#include "api/environment/info_handles.hpp"
#include "api/point_to_point/requests.hpp"
#include "api/processes/parent.hpp"
#include "api/processes/parting.hpp"
#include "base/error.hpp"
#include "base/handle_numbers.hpp"
#include "bodies.hpp"
#include "runtime/jobs/jobs.hpp"

namespace bowline::api {
namespace {

int comm_result(comm::Likeness likeness) noexcept {
  switch (likeness) {
    case comm::Likeness::identical:
      return MPI_CONGRUENT;
    case comm::Likeness::similar:
      return MPI_SIMILAR;
    case comm::Likeness::different:
      return MPI_UNEQUAL;
  }
  return MPI_UNEQUAL;
}

constexpr proto::Awaiting pending_communication{[](proto::Engine&, const void*) -> proto::WaitDescription {
  return {"for the communicator's pending operations", WaitTargets::some_rank()};
}};

const comm::Group& remote_of(const comm::Communicator& comm) {
  if (comm.inter()) return comm.bridge()->remote;
  throw Error(ErrorClass::comm,
              "comm is an intracommunicator, which has no remote group: give one made by "
              "MPI_Intercomm_create");
}

/// The communicator behind a handle that is about to be freed. Throws Error (comm) if it may not be freed.
comm::Communicator& own(MPI_Comm handle) {
  comm::Communicator* const found = find_comm(handle);
  if (found != nullptr && found != this_process().world() && found != this_process().public_self()) return *found;
  throw Error(ErrorClass::comm, "comm is no communicator that can be freed: give one that was made by this program");
}

}  // namespace

void comm_rank(comm::Communicator& comm, int* rank) {
  *rank = comm.rank();
}
void comm_size(comm::Communicator& comm, int* size) {
  *size = comm.size();
}
void comm_test_inter(comm::Communicator& comm, int* flag) {
  *flag = comm.inter() ? 1 : 0;
}
void comm_remote_size(comm::Communicator& comm, int* size) {
  *size = remote_of(comm).size();
}
void comm_remote_group(comm::Communicator& comm, MPI_Group* group) {
  *group = group_handle(remote_of(comm));
}
void comm_get_parent(MPI_Comm* parent) {
  *parent = parent_handle();
}

void comm_compare(comm::Communicator& comm1, comm::Communicator& comm2, int* result) {
  *result = MPI_UNEQUAL;
  if (&comm1 == &comm2) {
    *result = MPI_IDENT;
  } else if (comm1.inter() == comm2.inter()) {
    const comm::Likeness likeness = comm::Group::compare(comm1.group(), comm2.group());
    *result = comm_result(comm1.inter()
                              ? std::max(likeness, comm::Group::compare(comm1.bridge()->remote, comm2.bridge()->remote))
                              : likeness);
  }
}

// The null handle has a name, too.
void comm_get_name(MPI_Comm comm, char* comm_name, int* resultlen) {
  comm::Communicator* const named = find_comm(comm);
  if (named == nullptr && comm != MPI_COMM_NULL) {
    throw Error(ErrorClass::comm, "comm is no communicator: it was freed, never set, or is another kind of handle");
  }
  const std::string name = named == nullptr ? "MPI_COMM_NULL" : named->name();
  std::memcpy(comm_name, name.c_str(), name.size() + 1);
  *resultlen = static_cast<int>(name.size());
}

void comm_set_name(comm::Communicator& comm, const char* comm_name) {
  if (const std::size_t length = std::strlen(comm_name); length >= MPI_MAX_OBJECT_NAME) {
    throw Error(ErrorClass::arg, fmt::format("comm_name has {} characters, but a name has up to {} "
                                             "(MPI_MAX_OBJECT_NAME - 1)",
                                             length, MPI_MAX_OBJECT_NAME - 1));
  }
  comm.set_name(comm_name);
}

void comm_set_info(comm::Communicator& comm, MPI_Info info) {
  note_hints(comm, *hints_of(info));
}

void comm_get_info(comm::Communicator& comm, MPI_Info* info_used) {
  Info info = comm.hints();
  add_memory_kinds(info);
  *info_used = info_handle(std::move(info));
}

void comm_free(MPI_Comm* comm) {
  comm::Communicator& freed = own(*comm);
  freed.attributes().remove_all(*comm);
  // Messages in the communicator's own bsend buffer refer to the communicator until they have left.
  wait_anywhere(
      [&buffer = freed.bsend_buffer(), latest = freed.bsend_buffer().latest()] { return buffer.left(latest); },
      buffered_messages);
  handle_numbers().forget(handle_value(*comm));
  if (*comm == parent_handle()) set_parent_handle(MPI_COMM_NULL);
  this_process().communicators().free(freed);
  *comm = MPI_COMM_NULL;
}

// First the pending communication, then the communicator, and last the connections that nothing else uses.
void comm_disconnect(MPI_Comm* comm) {
  comm::Communicator& freed = own(*comm);
  proto::Engine& engine = freed.engine();
  const std::uint32_t index = freed.index();
  const std::vector<std::uint32_t> ending = connections_that_end_with(freed);
  const auto is_over = [&] {
    const LockGuard lane(engine.lock());
    return !engine.uses(index);
  };
  wait_anywhere(is_over, pending_communication);
  comm_free(comm);
  for (const std::uint32_t connection : ending) this_process().jobs().disconnect(connection);
}

}  // namespace bowline::api

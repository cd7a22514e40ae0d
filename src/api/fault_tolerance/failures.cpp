// SPDX-License-Identifier: BSD-3-Clause
// MPIX_Comm_revoke, MPIX_Comm_is_revoked, MPIX_Comm_get_failed and MPIX_Comm_ack_failed (mpi-ext.h), and their older
// forms MPIX_Comm_failure_ack and MPIX_Comm_failure_get_acked. None of them waits for other processes.
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "api/entry/group_handles.hpp"
#include "api/fault_tolerance/agreement_request.hpp"
#include "base/error.hpp"
#include "bodies.hpp"

namespace bowline::api {
namespace {

/// The first `count` of the failed members.
comm::Group first_failed(const comm::Communicator& comm, std::size_t count) {
  const std::vector<int> members = failed_members(comm);
  return comm.everyone().including(std::span(members).first(std::min(count, members.size())));
}

/// Looks for members that have ended, among those that this process can see.
void look_for_failures(comm::Communicator& comm) {
  proto::Engine& engine = comm.engine();
  const LockGuard lane(engine.lock());
  engine.progress();
  for (int member = 0; member < comm.everyone().size(); ++member)
    engine.liveness().look_at(comm.everyone().process(member));
}

/// Acknowledges the first `count` of the failed members. Returns how many are acknowledged then.
int acknowledge(comm::Communicator& comm, int count) {
  const int failed = static_cast<int>(failed_members(comm).size());
  comm.acknowledge(std::max(comm.acknowledged(), std::min(count, failed)));
  return comm.acknowledged();
}

}  // namespace

void comm_revoke(comm::Communicator& comm) {
  const LockGuard lane(comm.engine().lock());
  this_process().survival(comm).revocations().revoke(comm);
}

void comm_is_revoked(comm::Communicator& comm, int* flag) {
  const LockGuard lane(comm.engine().lock());
  comm.engine().progress();
  *flag = this_process().survival(comm).revocations().has(comm) ? 1 : 0;
}

void comm_get_failed(comm::Communicator& comm, MPI_Group* failedgrp) {
  look_for_failures(comm);
  *failedgrp = group_handle(first_failed(comm, static_cast<std::size_t>(comm.everyone().size())));
}

void comm_ack_failed(comm::Communicator& comm, int num_to_ack, int* num_acked) {
  if (num_to_ack < 0)
    throw Error(ErrorClass::arg, fmt::format("num_to_ack is {}, but a number of members is 0 or more", num_to_ack));
  *num_acked = acknowledge(comm, num_to_ack);
}

void comm_failure_ack(comm::Communicator& comm) {
  look_for_failures(comm);
  acknowledge(comm, comm.everyone().size());
}

void comm_failure_get_acked(comm::Communicator& comm, MPI_Group* failedgrp) {
  *failedgrp = group_handle(first_failed(comm, static_cast<std::size_t>(comm.acknowledged())));
}

}  // namespace bowline::api

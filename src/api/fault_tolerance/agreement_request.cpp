// SPDX-License-Identifier: BSD-3-Clause
#include "api/fault_tolerance/agreement_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/process_id.hpp"

namespace bowline::api {

std::vector<int> failed_members(const comm::Communicator& comm) {
  std::vector<int> members = this_process().failed_processes().among(comm.everyone());
  for (int& member : members) member = comm.everyone().rank_of(member);
  return members;
}

void AgreementRequest::join(comm::Vote own) {
  own.failed = failed_members(comm_);
  for (const int member : own.failed) comm_.engine().liveness().declare_lost(comm_.everyone().process(member));
  const auto acknowledged = std::min<std::ptrdiff_t>(comm_.acknowledged(), std::ssize(own.failed));
  own.acknowledged.assign(own.failed.begin(), own.failed.begin() + acknowledged);
  std::ranges::sort(own.failed);
  std::ranges::sort(own.acknowledged);
  this_process().survival(comm_).agreements().join({comm_.context(), comm_.everyone(), comm_.team().rank},
                                                   std::move(own), *this);
}

void AgreementRequest::agreed(const comm::Vote& result) noexcept {
  try {
    if (result.form == comm::Vote::Form::mixed) {
      throw Error(ErrorClass::other,
                  "the members of the communicator have called different functions: all must call MPIX_Comm_agree, "
                  "MPIX_Comm_shrink or MPIX_Comm_agree_failed in the same order");
    }
    if (!conclude(result)) return;
  } catch (...) {
    fail(bowline::Failure::current());
  }
  comm_.engine().complete(*this);
}

std::string AgreementRequest::name_of(int member) const {
  return process_name(comm_.everyone().process(member));
}

std::string AgreementRequest::in_words(proto::Engine&) const {
  return "an agreement of all members that live";
}

WaitTargets AgreementRequest::targets(proto::Engine&) const {
  return WaitTargets::all_of(this_process().survival(comm_).agreements().awaited(comm_.context()));
}

void execute(comm::Communicator& comm, AgreementRequest& request) {
  proto::Engine& engine = comm.engine();
  const LockGuard lane(engine.lock());
  request.begin();
  engine.wait(request);
  const bowline::Failure failure = request.failure;
  engine.release(request);
  if (failure != nullptr) throw Error(*failure);
}

void begin(comm::Communicator& comm, AgreementRequest& request, MPI_Request* handle) {
  const LockGuard lane(comm.engine().lock());
  *handle = to_handle(request);
  request.begin();
  proto::ProgressThread::operation_begun();
}

}  // namespace bowline::api

// SPDX-License-Identifier: BSD-3-Clause
// MPIX_Comm_shrink and MPIX_Comm_ishrink (mpi-ext.h): a communicator of the members that live.
//
// One uniform agreement decides who has failed and which context id is free at all others, so all of them make the same
// communicator or none. It is repeated only if a class of context ids has no common free one.
#include <optional>
#include <vector>

#include "api/communicators/making.hpp"
#include "api/fault_tolerance/agreement_request.hpp"
#include "bodies.hpp"
#include "comm/index_offer.hpp"

namespace bowline::api {
namespace {

class Shrinking final : public AgreementRequest {
 public:
  Shrinking(comm::Communicator& comm, Recipient target)
      : AgreementRequest(comm), target_(target), search_(comm::Communicators::start_of(comm.context(), 0)) {}

  void begin() override {
    comm::Communicators& all = this_process().communicators();
    hold_.emplace(all.indices(), search_.class_number());
    join({.form = comm::Vote::Form::shrink, .offer = hold_->offer(all.lane_count())});
  }

 private:
  bool conclude(const comm::Vote& result) override {
    const std::optional<comm::ContextId> id = hold_->take(result.offer.value());
    hold_.reset();
    if (!id) {
      search_.next(*result.offer);
      begin();
      return false;
    }
    const MPI_Comm made = make(*id, result.failed);
    if (made == MPI_COMM_NULL)
      throw Error(ErrorClass::proc_failed, "the other members have found this process failed, and go on without it");
    target_.deliver(target_.place, made);
    return true;
  }

  MPI_Comm make(comm::ContextId id, const std::vector<int>& failed) const {
    const comm::Group lost = comm_.everyone().including(failed);
    const comm::Group local = comm::Group::subtract(comm_.group(), lost);
    if (!comm_.inter()) return make_or_decline(comm_, id, local);
    const comm::Group remote = comm::Group::subtract(comm_.bridge()->remote, lost);
    return make_or_decline(comm_, id, local, remote, comm_.bridge()->local_first);
  }

  Recipient target_;
  comm::ClassSearch search_;
  std::optional<comm::ClassHold> hold_;
};

/// Delivers MPI_COMM_NULL at first.
Recipient to_c(MPI_Comm* newcomm) {
  *newcomm = MPI_COMM_NULL;
  return {[](void* place, MPI_Comm made) { *static_cast<MPI_Comm*>(place) = made; }, static_cast<void*>(newcomm)};
}

}  // namespace

void begin_shrink(comm::Communicator& comm, Recipient target, MPI_Request* request) {
  begin(comm, *new Shrinking(comm, target), request);
}

void comm_shrink(comm::Communicator& comm, MPI_Comm* newcomm) {
  execute(comm, *new Shrinking(comm, to_c(newcomm)));
}

void comm_ishrink(comm::Communicator& comm, MPI_Comm* newcomm, MPI_Request* request) {
  begin_shrink(comm, to_c(newcomm), request);
}

}  // namespace bowline::api

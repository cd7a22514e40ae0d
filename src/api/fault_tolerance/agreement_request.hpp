// SPDX-License-Identifier: BSD-3-Clause
// AgreementRequest: this process's part in a uniform agreement of a communicator's members, as a request.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "api/entry/request_handles.hpp"
#include "api/entry/status_values.hpp"
#include "api/entry/this_process.hpp"
#include "comm/communicator.hpp"
#include "comm/survival/agreements.hpp"
#include "proto/progress_thread.hpp"

namespace bowline::api {

class AgreementRequest : public proto::SpecialRequest, public comm::Agreements::Participant {
 public:
  explicit AgreementRequest(comm::Communicator& comm) : SpecialRequest(comm.context()), comm_(comm) {
    status = empty_status();
  }

  /// Called under the lock of the communicator's lane.
  virtual void begin() = 0;
  void agreed(const comm::Vote& result) noexcept final;
  std::string in_words(proto::Engine& lane) const override;
  WaitTargets targets(proto::Engine& lane) const override;

 protected:
  /// Joins the next agreement with this vote, to which the failed and the acknowledged members are added.
  void join(comm::Vote own);
  /// What the members have agreed on. Returns whether the request is completed. Throws Error.
  virtual bool conclude(const comm::Vote& result) = 0;
  /// The member has this rank in the team.
  std::string name_of(int member) const;

  comm::Communicator& comm_;
};

/// The failed members of a communicator, as ranks of its team, in the order in which this process has found them.
std::vector<int> failed_members(const comm::Communicator& comm);

/// Executes the request, which it owns, up to its end. Throws Error.
void execute(comm::Communicator& comm, AgreementRequest& request);
/// Begins the request, which the handle then owns.
void begin(comm::Communicator& comm, AgreementRequest& request, MPI_Request* handle);

}  // namespace bowline::api

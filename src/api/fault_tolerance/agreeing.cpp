// SPDX-License-Identifier: BSD-3-Clause
// MPIX_Comm_agree, MPIX_Comm_iagree and MPIX_Comm_agree_failed (mpi-ext.h): what all living members agree on.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "api/entry/group_handles.hpp"
#include "api/fault_tolerance/agreement_request.hpp"
#include "bodies.hpp"

namespace bowline::api {
namespace {

class Agreeing final : public AgreementRequest {
 public:
  Agreeing(comm::Communicator& comm, int* flag) : AgreementRequest(comm), flag_(flag) {}

  void begin() override {
    comm::Vote own;
    own.flags[own_side()] = static_cast<std::uint32_t>(*flag_);
    join(own);
  }

 private:
  /// Members of an intercommunicator get the value of the other side.
  std::size_t own_side() const { return comm_.inter() && !comm_.bridge()->local_first ? 1 : 0; }

  bool conclude(const comm::Vote& result) override {
    *flag_ = static_cast<int>(result.flags[comm_.inter() ? 1 - own_side() : 0]);
    if (result.has_news()) {
      const auto unknown = [&](int member) { return !std::ranges::binary_search(result.acknowledged, member); };
      const int member = *std::ranges::find_if(result.failed, unknown);
      throw Error(
          ErrorClass::proc_failed,
          fmt::format("{} has failed, which not all members have acknowledged; the value is valid", name_of(member)),
          comm_.engine().rank_in_job(comm_.everyone().process(member)));
    }
    return true;
  }

  int* flag_;
};

class AgreeingOnFailed final : public AgreementRequest {
 public:
  AgreeingOnFailed(comm::Communicator& comm, MPI_Group* failed) : AgreementRequest(comm), failed_(failed) {}

  void begin() override { join({.form = comm::Vote::Form::agree_failed}); }

 private:
  bool conclude(const comm::Vote& result) override {
    *failed_ = group_handle(comm_.everyone().including(result.failed));
    return true;
  }

  MPI_Group* failed_;
};

}  // namespace

void comm_agree(comm::Communicator& comm, int* flag) {
  execute(comm, *new Agreeing(comm, flag));
}

void comm_iagree(comm::Communicator& comm, int* flag, MPI_Request* request) {
  begin(comm, *new Agreeing(comm, flag), request);
}

void comm_agree_failed(comm::Communicator& comm, MPI_Group* failedgrp) {
  *failedgrp = MPI_GROUP_NULL;
  execute(comm, *new AgreeingOnFailed(comm, failedgrp));
}

}  // namespace bowline::api

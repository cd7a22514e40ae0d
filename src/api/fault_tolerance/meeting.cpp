// SPDX-License-Identifier: BSD-3-Clause
#include "api/fault_tolerance/meeting.hpp"

#include "api/fault_tolerance/agreement_request.hpp"

namespace bowline::api {
namespace {

class Meeting final : public AgreementRequest {
 public:
  using AgreementRequest::AgreementRequest;
  void begin() override { join({}); }

 private:
  bool conclude(const comm::Vote&) override { return true; }
};

}  // namespace

/// The launcher of another job may let that one go on.
bool may_lose_members(const comm::Communicator& comm) {
  const comm::Group& all = comm.everyone();
  for (int rank = 0; rank < all.size(); ++rank) {
    if (!this_process().processes().is_of_this_job(all.process(rank))) return true;
  }
  return this_process().may_lose_ranks();
}

void meet_living(comm::Communicator& comm) {
  execute(comm, *new Meeting(comm));
}

}  // namespace bowline::api

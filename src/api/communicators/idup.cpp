// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, section 7.4.2: non-blocking duplication of communicators.
#include <memory>
#include <string>
#include <utility>

#include "api/communicators/making.hpp"
#include "api/entry/communicator_handles.hpp"
#include "api/entry/request_handles.hpp"
#include "api/entry/status_values.hpp"
#include "api/environment/info_handles.hpp"
#include "base/failure.hpp"
#include "base/task.hpp"
#include "bodies.hpp"
#include "coll/calls/team_channel.hpp"
#include "comm/agreement.hpp"
#include "proto/progress_thread.hpp"

namespace bowline::api {
namespace {

/// Attributes are copied when the call is made. The communicator is made when all members have agreed on its context
/// id.
class Duplication final : public proto::SpecialRequest {
 public:
  Duplication(comm::Communicator& parent, std::shared_ptr<const Info> hints, Recipient target)
      : SpecialRequest(parent.context()), parent_(parent), hints_(std::move(hints)), target_(target) {
    parent.attributes().copy_to(attributes_, to_handle(parent));
    status = empty_status();
  }

  /// Called under the lock of the parent's lane.
  void begin() noexcept {
    coll::Team& team = parent_.team();
    const std::int32_t tag = team.order_of_nonblocking().next_tag();
    const coll::CallId id = team.next_id(coll::CallKind::making_communicator());
    try {
      channel_ = std::make_unique<coll::TeamChannel>(team, tag, id);
      run(*this, comm::Communicators::start_of(team.context, tag));
    } catch (...) {
      fail(bowline::Failure::current());
      parent_.engine().complete(*this);
    }
  }

  std::string in_words(proto::Engine&) const override {
    return "a duplication " + (channel_ == nullptr ? std::string() : channel_->in_words());
  }
  WaitTargets targets(proto::Engine&) const override {
    return channel_ == nullptr ? WaitTargets::some_rank() : channel_->targets();
  }

 private:
  static Background run(Duplication& self, std::uint32_t start) {
    comm::Communicators& all = this_process().communicators();
    comm::ContextId id;
    try {
      Task agreed = comm::agree(*self.channel_, all.indices(), start, all.lane_count(), id);
      co_await agreed;
      comm::Communicator& made = make_like(self.parent_, id, *self.hints_);
      made.attributes() = std::move(self.attributes_);
      self.target_.deliver(self.target_.place, to_handle(made));
    } catch (...) {
      self.fail(bowline::Failure::current());
    }
    self.parent_.engine().complete(self);
  }

  comm::Communicator& parent_;
  std::shared_ptr<const Info> hints_;
  Recipient target_;
  Attributes attributes_;
  std::unique_ptr<coll::TeamChannel> channel_;
};

void begin_duplicate_for_c(comm::Communicator& comm, MPI_Info info, MPI_Comm* newcomm, MPI_Request* request) {
  *newcomm = MPI_COMM_NULL;
  const auto deliver = [](void* place, MPI_Comm made) { *static_cast<MPI_Comm*>(place) = made; };
  begin_duplicate(comm, info, {deliver, static_cast<void*>(newcomm)}, request);
}

}  // namespace

void begin_duplicate(comm::Communicator& comm, MPI_Info info, Recipient target, MPI_Request* request) {
  auto hints = hints_of(info);
  auto& duplication = *new Duplication(comm, std::move(hints), target);
  const LockGuard lane(comm.engine().lock());
  *request = to_handle(duplication);
  duplication.begin();
  proto::ProgressThread::operation_begun();
}

void comm_idup(comm::Communicator& comm, MPI_Comm* newcomm, MPI_Request* request) {
  begin_duplicate_for_c(comm, MPI_INFO_NULL, newcomm, request);
}

void comm_idup_with_info(comm::Communicator& comm, MPI_Info info, MPI_Comm* newcomm, MPI_Request* request) {
  begin_duplicate_for_c(comm, info, newcomm, request);
}

}  // namespace bowline::api

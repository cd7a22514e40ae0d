// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, section 7.4.2: non-blocking duplication of communicators.
#include <memory>
#include <string>
#include <utility>

#include "api/communicators/making.hpp"
#include "api/environment/info_handles.hpp"
#include "base/failure.hpp"
#include "base/task.hpp"
#include "bodies.hpp"
#include "coll/team_channel.hpp"
#include "comm/agreement.hpp"
#include "proto/progress_thread.hpp"

namespace bowline::api {
namespace {

/// Attributes are copied when the call is made. The communicator is made when all members have agreed on its context
/// id.
class Duplication final : public proto::SpecialRequest {
 public:
  Duplication(comm::Communicator& parent, std::shared_ptr<const Info> hints, const MadeComm& made)
      : SpecialRequest(parent.context()), parent_(parent), hints_(std::move(hints)), made_(made) {
    parent.attributes().copy_to(attributes_, to_handle(parent));
    status = empty_status();
  }

  /// Called under the lock of the parent's lane.
  void begin() noexcept {
    const std::int32_t tag = parent_.team().next_tag();
    try {
      channel_ = std::make_unique<coll::TeamChannel>(parent_.team(), tag);
      run(*this, comm::Communicators::start_of(parent_.team().context, tag));
    } catch (...) {
      proto::Engine::fail(*this, bowline::Failure::current());
      parent_.engine().complete(*this);
    }
  }

  std::string in_words(proto::Engine&) const override {
    return "a duplication " + (channel_ == nullptr ? std::string() : channel_->in_words());
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
      self.made_.tell(self.made_.data, to_handle(made));
    } catch (...) {
      proto::Engine::fail(self, bowline::Failure::current());
    }
    self.parent_.engine().complete(self);
  }

  comm::Communicator& parent_;
  std::shared_ptr<const Info> hints_;
  MadeComm made_;
  Attributes attributes_;
  std::unique_ptr<coll::TeamChannel> channel_;
};

/// For the functions of MPI: stores the handle where the user wants it.
MadeComm store_in(MPI_Comm* newcomm) {
  *newcomm = MPI_COMM_NULL;
  return {[](void* target, MPI_Comm comm) { *static_cast<MPI_Comm*>(target) = comm; }, newcomm};
}

}  // namespace

void begin_duplicate(comm::Communicator& comm, MPI_Info info, const MadeComm& made, MPI_Request* request) {
  auto hints = hints_of(info);
  auto& duplication = *new Duplication(comm, std::move(hints), made);
  const LockGuard lane(comm.engine().lock());
  *request = to_handle(duplication);
  duplication.begin();
  proto::ProgressThread::operation_begun();
}

void comm_idup(comm::Communicator& comm, MPI_Comm* newcomm, MPI_Request* request) {
  begin_duplicate(comm, MPI_INFO_NULL, store_in(newcomm), request);
}

void comm_idup_with_info(comm::Communicator& comm, MPI_Info info, MPI_Comm* newcomm, MPI_Request* request) {
  begin_duplicate(comm, info, store_in(newcomm), request);
}

}  // namespace bowline::api

// SPDX-License-Identifier: BSD-3-Clause
// CollectiveRequest: a non-blocking or persistent collective operation.
#pragma once

#include <optional>

#include "api/collectives/collective_call.hpp"
#include "api/collectives/collective_form.hpp"
#include "api/entry/request_handles.hpp"
#include "base/pool.hpp"
#include "base/task.hpp"
#include "coll/calls/team_channel.hpp"
#include "comm/communicator.hpp"
#include "proto/engine.hpp"
#include "proto/request.hpp"

namespace bowline::api {

/// All functions are called under the lock of the communicator's lane. Datatypes, operators and the communicator stay
/// alive until the request is completed, even if the user frees them. Requests come from a pool whose memory is never
/// returned to the system, so a stale handle can be detected.
class CollectiveRequest final : public proto::SpecialRequest {
 public:
  static CollectiveRequest& make(comm::Communicator& comm, coll::Operation operation);

  CollectiveCall call;

  /// Begins the operation, whose arguments are in `call`. Returns true if it has already succeeded; the request is not
  /// completed then, and the caller may dispose of it.
  bool begin();
  /// Makes the request persistent and inactive, with a tag of its own for all rounds.
  void make_persistent();

  void start(proto::Engine&) override {
    if (go()) end();
  }
  std::string in_words(proto::Engine&) const override;
  WaitTargets targets(proto::Engine&) const override { return channel_->targets(); }
  const char* bound() const noexcept override;
  void dispose() noexcept override;

 private:
  friend class Pool<CollectiveRequest>;
  CollectiveRequest(comm::Communicator& comm, coll::Operation operation) noexcept
      : SpecialRequest(comm.context()), call(comm, operation) {}
  ~CollectiveRequest() override = default;
  /// Executes one round as far as possible without waiting. Returns true if the round has succeeded; the caller must
  /// then call end() unless it disposes of the request.
  bool go();
  static Background go_on(CollectiveRequest& self, Task begun, bool left);
  void end() noexcept;

  std::optional<coll::TeamChannel> channel_;
};

/// Executes a collective function in any of its three forms. A non-blocking operation that completes at once gets the
/// request that all such operations share. `fill` gets a call, sets its arguments, and throws Error if they are wrong.
template <class Fill>
void carry_out(CollectiveForm form, comm::Communicator& comm, coll::Operation operation, const Fill& fill) {
  if (form.kind == CollectiveForm::Returns::blocking) [[likely]] {
    CollectiveCall call(comm, operation);
    fill(call);
    return call.run();
  }
  CollectiveRequest& request = CollectiveRequest::make(comm, operation);
  try {
    fill(request.call);
  } catch (...) {
    request.dispose();
    throw;
  }
  *form.request = to_handle(request);
  if (form.kind == CollectiveForm::Returns::persistent) {
    request.make_persistent();
  } else if (request.begin()) {
    *form.request = to_handle(proto::completed_request());
    request.dispose();
  }
}

}  // namespace bowline::api

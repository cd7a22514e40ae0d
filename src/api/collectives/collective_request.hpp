// SPDX-License-Identifier: BSD-3-Clause
// CollectiveRequest: a collective operation that goes on while the program computes, once or in any number of rounds.
#pragma once

#include <optional>

#include "api/collectives/collective_call.hpp"
#include "api/collectives/collective_form.hpp"
#include "api/entry/handles.hpp"
#include "base/pool.hpp"
#include "base/task.hpp"
#include "coll/team_channel.hpp"
#include "proto/engine.hpp"
#include "proto/request.hpp"

namespace bowline::api {

/// Everything here is called under the lock of the communicator's lane. Datatypes, operators and the communicator live
/// on until the request has ended, whatever the user frees. Requests come from a pool, and their memory is never given
/// back to the system, so that a stale handle can be recognized.
class CollectiveRequest final : public proto::SpecialRequest {
 public:
  static CollectiveRequest& make(comm::Communicator& comm, coll::Operation operation);

  CollectiveCall call;

  /// Begins the operation, whose arguments are in `call`. Returns whether it has ended well by then, of which the
  /// request does not tell anybody.
  bool begin();
  /// Leaves it idle, with a tag of its own for all rounds.
  void make_persistent();

  void start(proto::Engine&) override {
    if (go()) end();
  }
  const char* bound() const noexcept override;
  void dispose() noexcept override;

 private:
  friend class Pool<CollectiveRequest>;
  CollectiveRequest(comm::Communicator& comm, coll::Operation operation) noexcept
      : SpecialRequest(comm.context()), call(comm, operation) {}
  ~CollectiveRequest() override = default;
  /// One round, as far as it goes without waiting. Returns whether it has ended well; then end() is left to do.
  bool go();
  static Background go_on(CollectiveRequest& self, Task begun, bool left);
  void end() noexcept;

  std::optional<coll::TeamChannel> channel_;
};

/// The body of a collective function in all three forms. A non-blocking operation that ends at once needs no request.
/// `fill` sets the arguments of the call that it is given, and throws Error if they are wrong.
template <class Fill>
void carry_out(CollectiveForm form, comm::Communicator& comm, coll::Operation operation, const Fill& fill) {
  if (form.kind == CollectiveForm::Kind::blocking) [[likely]] {
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
  if (form.kind == CollectiveForm::Kind::persistent) {
    request.make_persistent();
  } else if (request.begin()) {
    *form.request = to_handle(proto::completed_request());
    request.dispose();
  }
}

}  // namespace bowline::api

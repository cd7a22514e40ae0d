// SPDX-License-Identifier: BSD-3-Clause
// Requests as the completion calls see them: calls wait for active ones and take them; null handles, and persistent
// requests between two rounds, are ignored.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "api/entry/raising.hpp"
#include "api/entry/request_handles.hpp"
#include "api/entry/status_values.hpp"
#include "api/entry/this_process.hpp"

namespace bowline::api {

/// Fills the user's status for a request that is null or inactive. An empty status has MPI_ERROR set, too, to
/// MPI_SUCCESS (MPI-5.0, section 3.7.3).
inline void set_empty_status(MPI_Status* target) noexcept {
  if (target == MPI_STATUS_IGNORE) return;
  set_status(target, empty_status());
  target->MPI_ERROR = MPI_SUCCESS;
}

using Failure = std::unique_ptr<CommError>;

/// Why a completed operation failed; nullptr if it succeeded.
Failure failure_of(const proto::Request& request);

/// Writes the status of a completed request for the user. Returns why the operation failed; nullptr if it succeeded.
/// The request stays.
Failure look(proto::Request& request, MPI_Status* status);

/// Like look(), and takes the request: a persistent request becomes inactive; any other is released, and its handle
/// becomes MPI_REQUEST_NULL.
Failure take_any_kind(MPI_Request& handle, proto::Request& request, MPI_Status* status);
[[gnu::always_inline]] inline Failure take(MPI_Request& handle, proto::Request& request, MPI_Status* status) {
  // Most requests are receives, or sends that completed at once.
  const bool plain = request.role != proto::Request::Role::special && !request.persistent && request.failure == nullptr;
  if (plain && request.shared) {
    set_status(status, request.status);
    handle = MPI_REQUEST_NULL;
    return nullptr;
  }
  if (plain && request.role == proto::Request::Role::receive) [[likely]] {
    set_status(status, request.status);
    handle = MPI_REQUEST_NULL;
    proto::Engine& engine = engine_of(request);
    const LockGuard hold(engine.lock());
    engine.retire(static_cast<proto::ReceiveRequest&>(request));
    return nullptr;
  }
  return take_any_kind(handle, request, status);
}

/// The error of a call that waits for a receive from any source a possible sender of which has failed.
CommError pending_error(const proto::Request& request);
/// Throws that error if the request is such a receive.
inline void throw_if_pending(const proto::Request& request) {
  if (proto::Liveness::losses() == 0 || request.shared) [[likely]]
    return;
  proto::Engine& engine = engine_of(request);
  const LockGuard hold(engine.lock());
  if (engine.liveness().pends(request)) throw CommError(pending_error(request));
}

/// Makes progress in all lanes until `condition()` holds, or, once the wait is long, `gives_up()`. The caller must not
/// hold a lane's lock.
template <class Condition, class GivesUp = proto::Never>
void wait_anywhere(Condition condition, proto::Awaiting awaiting, GivesUp gives_up = {}) {
  proto::Lanes& lanes = this_process().lanes();
  Waiter waiter(lanes[0].loop().policy());
  proto::LongWait wait;
  bool has_slept = false;
  while (!condition() && !(has_slept && gives_up())) {
    wait.begin_round(lanes[0]);
    if (const unsigned events = lanes.progress(); events != 0) {
      waiter.progressed();
      wait.progressed(events);
    } else if (const Rest kind = waiter.next(); kind != Rest::sleep) {
      lanes.rest(kind);
    } else if (!std::exchange(has_slept, true)) {
      lanes.look_for_lost();
    } else {
      wait.look(lanes[0], awaiting);
      lanes.rest(kind);
    }
  }
}
/// What calls wait for if they wait for buffered messages.
inline constexpr proto::Awaiting buffered_messages{[](proto::Engine&, const void*) -> proto::WaitDescription {
  return {"for buffered messages to leave", WaitTargets::some_rank()};
}};

/// The requests of a call on several requests. Every handle is checked before the call waits.
class Requests {
 public:
  Requests(int count, const MPI_Request* handles);

  bool any_active() const noexcept { return any_active_; }
  std::size_t size() const noexcept { return handles_.size(); }
  bool active(std::size_t i) const noexcept { return handles_[i] != MPI_REQUEST_NULL && (*this)[i].active; }
  proto::Request& operator[](std::size_t i) const noexcept { return checked_request(handles_[i]); }
  bool done(std::size_t i) const noexcept { return active(i) && (*this)[i].done; }
  /// Whether the call need not wait for this request: it is completed, or was not active.
  bool over(std::size_t i) const noexcept {
    return handles_[i] == MPI_REQUEST_NULL || (*this)[i].done || !(*this)[i].active;
  }

  /// Index of the first completed request; size() if there is none.
  std::size_t first_done() const noexcept {
    std::size_t i = 0;
    while (i < size() && !done(i)) ++i;
    return i;
  }
  bool all_done() noexcept {
    // A completed request stays completed, so a waiting loop looks at each request once.
    while (checked_ < size() && over(checked_)) ++checked_;
    return checked_ == size();
  }

  /// Whether the request is a receive from any source that goes on although a possible sender has failed.
  bool pends(std::size_t i) const {
    return proto::Liveness::losses() != 0 && active(i) && !(*this)[i].done && pends_now((*this)[i]);
  }
  /// Index of the first such request; size() if there is none.
  std::size_t first_pending() const {
    std::size_t i = 0;
    while (i < size() && !pends(i)) ++i;
    return i;
  }
  bool any_pending() const { return proto::Liveness::losses() != 0 && first_pending() < size(); }
  /// Why a call returns without this request.
  Failure why_not_done(std::size_t i) const;

  /// Makes progress once in the lanes in which the requests may complete.
  void poll();
  /// Makes progress until all requests are completed, or one of them pends.
  void wait_for_all() {
    proto::LossCheck check;
    wait_until([this] { return all_done(); }, [this, &check] { return check([this] { return any_pending(); }); },
               [](proto::Engine&, const void* requests) {
                 return static_cast<const Requests*>(requests)->describe<AllOfRequests>();
               });
  }
  /// Makes progress until a request is completed or pends. Returns its index.
  std::size_t wait_for_one() {
    std::size_t found = size();
    proto::LossCheck check;
    wait_until([this, &found] { return (found = first_done()) < size(); },
               [this, &found, &check] { return check([&] { return (found = first_pending()) < size(); }); },
               [](proto::Engine&, const void* requests) {
                 return static_cast<const Requests*>(requests)->describe<AnyOfRequests>();
               });
    return found;
  }

 private:
  template <class Condition, class GivesUp>
  void wait_until(Condition condition, GivesUp gives_up, proto::Awaiting::Describe describe) {
    const proto::Awaiting awaiting{describe, this};
    if (engine_ == nullptr) return wait_anywhere(condition, awaiting, gives_up);
    const LockGuard hold(engine_->lock());
    engine_->wait_until(condition, awaiting, size() > 1 ? Awaited::several : Awaited::one, gives_up);
  }

  static bool pends_now(const proto::Request& request);
  template <class Joined>
  proto::WaitDescription describe() const;

  std::span<const MPI_Request> handles_;
  std::size_t checked_ = 0;
  bool any_active_ = false;
  proto::Engine* engine_ =
      nullptr;  ///< engine of the lane in which all requests complete; nullptr if there is no such lane
};

/// Where the statuses of several requests go: into MPI's array, or into an array with another layout.
struct StatusTarget {
  MPI_Status* statuses = MPI_STATUSES_IGNORE;
  const PrivateInterface::StatusArray* other =
      nullptr;  ///< if not null, the statuses go there, and not into `statuses`
};

/// The statuses of several requests, in the order in which they are filled, and which of the requests failed.
class StatusArray {
 public:
  explicit StatusArray(const StatusTarget& target) : target_(target) {}

  /// Where the next status goes.
  MPI_Status* slot() noexcept {
    if (target_.other != nullptr) [[unlikely]]
      return target_.other->first == nullptr ? MPI_STATUS_IGNORE : &other_;
    return target_.statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &target_.statuses[used_];
  }
  void filled(Failure failure) {
    if (failure != nullptr) [[unlikely]]
      failures_.emplace_back(used_, std::move(failure));
    if (target_.other != nullptr && target_.other->first != nullptr) [[unlikely]]
      target_.other->write(other_slot(used_), other_);
    ++used_;
  }
  /// The next request is not completed, and stays.
  void goes_on(Failure why) {
    if (MPI_Status* const status = slot(); status != MPI_STATUS_IGNORE) set_status(status, empty_status());
    filled(std::move(why));
  }
  /// Fills the next status for a request that is null or inactive.
  void fill_empty() noexcept {
    set_empty_status(slot());
    filled(nullptr);
    if (target_.other != nullptr) [[unlikely]]
      set_error(used_ - 1, MPI_SUCCESS);
  }

  /// Throws if a request failed. MPI_ERROR of a status that is not empty is written only in that case (MPI-5.0, section
  /// 3.7.5).
  void finish();

 private:
  void* other_slot(std::size_t i) const noexcept {
    return static_cast<std::byte*>(target_.other->first) + i * target_.other->stride;
  }
  void set_error(std::size_t i, int code) noexcept;

  StatusTarget target_;
  MPI_Status other_;  ///< the status for the next slot of an array with another layout
  std::size_t used_ = 0;
  std::vector<std::pair<std::size_t, Failure>> failures_;
};

// The bodies of MPI's functions of the same names, for both kinds of status arrays.
void waitall(int count, MPI_Request* requests, const StatusTarget& statuses);
void testall(int count, MPI_Request* requests, int* flag, const StatusTarget& statuses);
void waitsome(int incount, MPI_Request* requests, int* outcount, int* indices, const StatusTarget& statuses);
void testsome(int incount, MPI_Request* requests, int* outcount, int* indices, const StatusTarget& statuses);
void request_get_status_all(int count, const MPI_Request* requests, int* flag, const StatusTarget& statuses);
void request_get_status_some(int incount, const MPI_Request* requests, int* outcount, int* indices,
                             const StatusTarget& statuses);

}  // namespace bowline::api

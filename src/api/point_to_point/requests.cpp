// SPDX-License-Identifier: BSD-3-Clause
#include "api/point_to_point/requests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "api/checking/checked_call.hpp"
#include "api/entry/raising.hpp"
#include "base/error_sentences.hpp"
#include "proto/in_words.hpp"

namespace bowline::api {
namespace {

proto::SpecialRequest* special(proto::Request& request) noexcept {
  return request.role == proto::Request::Role::special ? static_cast<proto::SpecialRequest*>(&request) : nullptr;
}

}  // namespace

Failure failure_of(const proto::Request& request) {
  if (request.failure == nullptr) [[likely]]
    return nullptr;
  return std::make_unique<CommError>(this_process().with_context(request.context), request.failure->error_class(),
                                     request.failure->what() + begun_by(request));
}

Failure look(proto::Request& request, MPI_Status* status) {
  if (auto* const it = special(request)) it->before_seen();
  set_status(status, request.status);
  return failure_of(request);
}

Failure take_any_kind(MPI_Request& handle, proto::Request& request, MPI_Status* status) {
  Failure failure;
  if (auto* const it = special(request)) [[unlikely]] {
    it->before_seen();
    if (!it->persistent) it->before_gone();
  }
  if (request.failure != nullptr) [[unlikely]]
    failure = failure_of(request);
  set_status(status, request.status);
  if (!request.persistent) handle = MPI_REQUEST_NULL;
  if (request.shared) return failure;
  proto::Engine& engine = engine_of(request);
  const LockGuard hold(engine.lock());
  engine.retire(request);
  return failure;
}

Requests::Requests(int count, const MPI_Request* handles) : handles_(handles, static_cast<std::size_t>(count)) {
  proto::Lanes& lanes = this_process().lanes();
  const bool many_lanes = lanes.count() > 1;
  bool one_lane = true;
  if (!many_lanes) engine_ = &lanes[0];
  for (int i = 0; i < count; ++i) {
    if (handles[i] == MPI_REQUEST_NULL) continue;
    const proto::Request& request = request_of(handles[i], "array_of_requests", i);
    if (!request.active) continue;
    any_active_ = true;
    if (request.shared) continue;
    one_lane = one_lane && request.lane_bound;
    if (many_lanes) [[unlikely]] {
      proto::Engine& engine = engine_of(request);
      one_lane = one_lane && (engine_ == nullptr || engine_ == &engine);
      engine_ = &engine;
    }
  }
  if (!one_lane) engine_ = nullptr;
}

CommError pending_error(const proto::Request& request) {
  const Error error = engine_of(request).liveness().pending_error(request.context, ErrorClass::proc_failed_pending);
  return {this_process().with_context(request.context), error.error_class(), error.what() + begun_by(request)};
}

bool Requests::pends_now(const proto::Request& request) {
  proto::Engine& engine = engine_of(request);
  const LockGuard hold(engine.lock());
  return engine.liveness().pends(request);
}

Failure Requests::why_not_done(std::size_t i) const {
  if (pends(i)) return std::make_unique<CommError>(pending_error((*this)[i]));
  return std::make_unique<CommError>(this_process().with_context((*this)[i].context), ErrorClass::pending,
                                     "the operation is not completed yet, and another one of the call has failed");
}

/// "with 2 of 3 requests incomplete, the first (index 0) a receive on MPI_COMM_WORLD from rank 1, tag 7".
template <class Joined>
proto::WaitDescription Requests::describe() const {
  std::size_t all = 0;
  std::size_t incomplete = 0;
  std::string first;
  Joined joined;
  std::vector<std::uint32_t> contexts;
  for (std::size_t i = 0; i < size(); ++i) {
    if (!active(i)) continue;
    ++all;
    if (done(i)) continue;
    proto::Engine& engine = engine_of((*this)[i]);
    const LockGuard hold(engine.lock());
    joined.add(proto::targets_of(engine, (*this)[i]));
    if (std::ranges::find(contexts, (*this)[i].context) == contexts.end()) contexts.push_back((*this)[i].context);
    if (++incomplete == 1) first = fmt::format("(index {}) {}", i, proto::request_in_words(engine, (*this)[i]));
  }
  return {fmt::format("with {} of {} requests incomplete, the first {}", incomplete, all, first), joined.targets(),
          std::move(contexts)};
}
template proto::WaitDescription Requests::describe<AllOfRequests>() const;
template proto::WaitDescription Requests::describe<AnyOfRequests>() const;

void Requests::poll() {
  this_process().lanes().poll();
}

void StatusArray::set_error(std::size_t i, int code) noexcept {
  if (target_.other != nullptr) {
    if (target_.other->first != nullptr) target_.other->write_error(other_slot(i), code);
  } else if (target_.statuses != MPI_STATUSES_IGNORE) {
    target_.statuses[i].MPI_ERROR = code;
  }
}

void StatusArray::finish() {
  if (failures_.empty()) [[likely]]
    return;
  for (std::size_t i = 0; i < used_; ++i) set_error(i, MPI_SUCCESS);
  for (const auto& [i, failure] : failures_) set_error(i, static_cast<int>(failure->error_class()));
  std::vector<ErrorSentence> each;
  for (const auto& [i, failure] : failures_)
    each.push_back({static_cast<int>(failure->error_class()), failure->what()});
  const CommError& first = *failures_.front().second;
  throw ErrorsInStatus(first.comm, first.what(), std::move(each));
}

}  // namespace bowline::api

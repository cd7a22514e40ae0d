// SPDX-License-Identifier: BSD-3-Clause
// CheckedCall: which messages receives have taken (BOWLINE_CHECK=rivals).
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "api/checking/checked_call.hpp"
#include "api/checking/kept_statuses.hpp"
#include "api/checking/rivals.hpp"
#include "api/entry/communicator_handles.hpp"
#include "api/entry/request_handles.hpp"
#include "api/entry/status_values.hpp"
#include "base/lock.hpp"
#include "base/log.hpp"
#include "comm/communicator.hpp"
#include "proto/engine.hpp"
#include "proto/matching/matching.hpp"
#include "runtime/settings.hpp"

namespace bowline::api {
namespace {

using checking::Rivals;

bool looks_for_rivals() noexcept {
  return runtime::checks().rivals != runtime::Checks::Rivals::none;
}

}  // namespace

checking::KeptStatuses::KeptStatuses(MPI_Status* given, MPI_Count count) : given_(given) {
  // The constants for one status and for several are the same.
  if (given == MPI_STATUS_IGNORE && looks_for_rivals() && count > 0) own_.resize(static_cast<std::size_t>(count));
}

void CheckedCall::tells() {
  if (looks_for_rivals()) Rivals::of_this_process().tell_others();
}

void CheckedCall::receives(MPI_Comm comm, int source, int tag) {
  const comm::Communicator* const members = find_comm(comm);
  if (!looks_for_rivals() || members == nullptr || source == MPI_PROC_NULL) return;
  receive_ = Rivals::of_this_process().begin(
      {.accepts = {members->context(), source, tag}, .by = {.function = function_}, .engine = &members->engine()});
}

void CheckedCall::began_receive(MPI_Request request) {
  if (!receive_) return;
  if (receive_->accepts.source == MPI_ANY_SOURCE) receive_->by = site();
  receive_->persistent = checked_request(request).persistent;
  Rivals::of_this_process().keep(request, *receive_);
}

void CheckedCall::may_be_told(const MPI_Request* requests, MPI_Count count) {
  if (!looks_for_rivals()) return;
  for (MPI_Count i = 0; i < count; ++i) Rivals::of_this_process().forget(requests[i]);
}

void CheckedCall::received(const checking::KeptStatuses& statuses) {
  if (!receive_) return;
  if (receive_->accepts.source == MPI_ANY_SOURCE) receive_->by = site();
  took_message(*receive_, statuses[0], statuses.given());
}

void CheckedCall::completed_receives(const checking::KeptStatuses& statuses, const int* indices, int count) {
  if (!looks_for_rivals()) return;
  Rivals& rivals = Rivals::of_this_process();
  for (std::size_t i = 0; i < before_.size(); ++i) {
    void* const handle = before_[i];
    if (reinterpret_cast<std::uintptr_t>(handle) < first_object || !rivals.is_known(handle)) continue;
    const bool goes_on = now_(handles_, i) == handle;  // a request that is persistent, or has not been completed
    if (goes_on) {
      const proto::Request& request = checked_request(static_cast<MPI_Request>(handle));
      if (!request.persistent || request.active) continue;
    }
    std::size_t at = i;
    if (indices != nullptr) {
      const std::span<const int> known(indices, static_cast<std::size_t>(std::max(count, 0)));
      const auto found = std::ranges::find(known, static_cast<int>(i));
      if (found == known.end()) continue;
      at = static_cast<std::size_t>(found - known.begin());
    }
    if (const auto receive = rivals.take(handle)) took_message(*receive, statuses[at], statuses.given());
  }
}

void CheckedCall::took_message(const Rivals::Receive& receive, const MPI_Status& status, bool named) {
  const proto::Status message = read_status(status);
  if (message.cancelled || message.source < 0) return;
  const auto is_there = [&](const proto::Match& accepts, int other_than) {
    const LockGuard lane(receive.engine->lock());
    proto::MatchQueue* const queue = receive.engine->matching().known_queue(accepts.context);
    return queue != nullptr && !queue->refuses() && queue->unexpected.all().find([&](const proto::Unexpected& each) {
      return each.header.source != other_than && (accepts.tag == proto::any_tag || accepts.tag == each.header.tag);
    }) != nullptr;
  };
  Rivals::of_this_process().completed(
      receive, {.source = message.source, .tag = message.tag, .is_empty = message.bytes == 0, .named = named},
      is_there);
}

void tell_of_rivals() {
  const auto wanted = runtime::checks().rivals;
  if (wanted == runtime::Checks::Rivals::none) return;
  for (const std::string& sentence : Rivals::of_this_process().in_words(wanted == runtime::Checks::Rivals::all))
    log::warning("MPI_Finalize: {}", sentence);
}

}  // namespace bowline::api

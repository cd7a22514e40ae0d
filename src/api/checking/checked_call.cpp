// SPDX-License-Identifier: BSD-3-Clause
#include "api/checking/checked_call.hpp"

#include <fmt/format.h>

#include <mutex>
#include <unordered_set>
#include <utility>

#include "api/checking/places.hpp"
#include "api/checking/rivals.hpp"
#include "api/checking/watched_windows.hpp"
#include "api/entry/call.hpp"
#include "api/entry/communicator_handles.hpp"
#include "api/entry/datatype_handles.hpp"
#include "api/entry/request_handles.hpp"
#include "api/entry/window_handles.hpp"
#include "base/log.hpp"
#include "base/pool.hpp"
#include "dtype/datatype.hpp"
#include "proto/request.hpp"
#include "runtime/settings.hpp"

namespace bowline::api {
namespace {

using checking::Access;
using checking::ObjectKind;

/// Whether this thread executes the call that a CheckedCall is about.
thread_local bool executes = false;

// Not destroyed by exit(): threads may still call MPI.
checking::ObjectLedger& objects() {
  static auto* const ledger = new checking::ObjectLedger;
  return *ledger;
}
checking::PendingBuffers& buffers() {
  static auto* const table = new checking::PendingBuffers;
  return *table;
}

/// Requests of operations that completed at once, each with a handle of its own.
class CompletedRequests {
 public:
  proto::Request& make() {
    const std::lock_guard hold(mutex_);
    proto::CompletedRequest& made = *pool_.make();
    requests_.insert(&made);
    return made;
  }
  /// Does nothing if the request is none of these.
  void free(proto::Request& request) {
    const std::lock_guard hold(mutex_);
    if (requests_.erase(&request) == 0) return;
    request.mark = 0;
    pool_.destroy(static_cast<proto::CompletedRequest*>(&request));
  }

 private:
  std::mutex mutex_;
  Pool<proto::CompletedRequest> pool_;  ///< keeps the memory, so that a stale handle is detected
  std::unordered_set<const proto::Request*> requests_;
};
CompletedRequests& completed_requests() {
  static auto* const requests = new CompletedRequests;
  return *requests;
}

}  // namespace

bool CheckedCall::is_due() {
  Call::needs_mpi();
  if (!std::exchange(executes, false)) {
    this_process().settle_listeners();
    return runtime::checks().calls() || this_process().follows_calls();
  }
  return false;
}

bool CheckedCall::is_checked() noexcept {
  if (runtime::checks().calls()) return true;
  executes = true;
  return false;
}

CheckedCall::CheckedCall(const char* function) : function_(function), name_(function) {
  executes = true;
}

const MpiCall& CheckedCall::site() {
  if (!site_) site_ = {.function = function_, .returns_to = mpi_call_on_stack_again().returns_to};
  return *site_;
}

void CheckedCall::tell(const std::optional<std::string>& sentence) {
  if (sentence) log::warning("{}", *sentence);
}

// ---- objects -----------------------------------------------------------------------------------------------------

void CheckedCall::made(const void* handle, ObjectKind kind) {
  const bool is_null_or_predefined = reinterpret_cast<std::uintptr_t>(handle) < first_object;
  if (is_null_or_predefined || !runtime::checks().leaks) return;
  objects().made(handle, kind, site());
}

void CheckedCall::made(MPI_Request* handle) {
  if (*handle == MPI_REQUEST_NULL) return;
  if (&checked_request(*handle) == &proto::completed_request()) *handle = to_handle(completed_requests().make());
  made(*handle, checked_request(*handle).persistent ? ObjectKind::persistent_request : ObjectKind::request);
}

void CheckedCall::taken() {
  for (std::size_t i = 0; i < before_.size(); ++i) {
    if (reinterpret_cast<std::uintptr_t>(before_[i]) < first_object) continue;
    if (now_(handles_, i) != before_[i]) {
      took(before_[i]);
    } else if (are_requests_) {
      may_have_started(before_[i]);
    }
  }
}

void CheckedCall::took(void* handle) {
  if (const std::optional<MpiCall> made = objects().never_started(handle)) {
    tell(fmt::format("{} frees a persistent request that has never been started: made by {}",
                     checking::in_words({&site(), 1}).front(), checking::in_words({&*made, 1}).front()));
  }
  objects().gone(handle);
  if (!are_requests_) return;
  if (runtime::checks().rivals != runtime::Checks::Rivals::none) checking::Rivals::of_this_process().forget(handle);
  if (buffers().is_active(handle)) tell(buffers().completed({.handle = handle}, site()));
  buffers().forget(handle);
  end_stand_ins({.handle = handle});
  completed_requests().free(checked_request(static_cast<MPI_Request>(handle)));
}

/// A persistent request may have begun a round, or ended one.
void CheckedCall::may_have_started(void* handle) {
  const proto::Request& request = checked_request(static_cast<MPI_Request>(handle));
  if (!request.persistent) return;
  if (request.active) objects().started(handle);
  if (!runtime::checks().buffers) return;
  const bool was_active = buffers().is_active(handle);
  if (request.active && !was_active) buffers().restart(handle);
  if (!request.active && was_active) tell(buffers().completed({.handle = handle}, site()));
}

// ---- buffers -----------------------------------------------------------------------------------------------------

std::optional<checking::UsedBytes> CheckedCall::bytes_of(const void* buffer, MPI_Count count, MPI_Datatype datatype,
                                                         Access access) const {
  if (!runtime::checks().buffers || handle_value(buffer) < first_object) return {};  // a special address
  const dtype::Datatype* const type = find_datatype(datatype);
  if (type == nullptr || count <= 0) return {};
  const proto::Buffer whole{static_cast<std::byte*>(const_cast<void*>(buffer)), static_cast<std::size_t>(count), type};
  const std::byte* const data = whole.run();
  if (data == nullptr || whole.bytes() == 0) return {};
  return checking::UsedBytes{{data, whole.bytes()}, access};
}

/// The stack is searched for the place of the call only if there is something to tell.
void CheckedCall::use_now(const checking::UsedBytes& use) {
  if (!buffers().conflict(use)) return;
  if (use.access == Access::writes) checking::StandIns::of_this_process().say_nothing_of(use.bytes);
  tell(buffers().used(use, site()));
}

bool CheckedCall::is_in_use(const checking::UsedBytes& use) {
  return buffers().conflict(use);
}

void CheckedCall::uses(const void* buffer, MPI_Count count, MPI_Datatype datatype, Access access,
                       const MPI_Request* request) {
  const auto use = bytes_of(buffer, count, datatype, access);
  if (!use) return;
  const bool persistent = request != nullptr && checked_request(*request).persistent;
  if (!persistent) use_now(*use);
  if (request != nullptr) buffers().add({.handle = *request}, *use, site(), persistent);
}

void CheckedCall::uses(const void* buffer, MPI_Count count, MPI_Datatype datatype, Access access, MPI_Win window,
                       int target) {
  const auto use = bytes_of(buffer, count, datatype, access);
  if (!use || target == MPI_PROC_NULL) return;
  use_now(*use);
  buffers().add({.handle = window, .rank = target}, *use, site(), false);
}

void CheckedCall::synchronized(MPI_Win window, int target) {
  const rma::Window* const watched = runtime::checks().epochs ? find_win(window) : nullptr;
  if (watched != nullptr) checking::WatchedWindows::of_this_process().synchronized(*watched);
  if (buffers().is_active(window)) tell(buffers().completed({.handle = window, .rank = target}, site()));
  end_stand_ins({.handle = window, .rank = target});
}

void CheckedCall::uses_in(MPI_Comm comm, const void* buffer, MPI_Count count, MPI_Datatype datatype, Access access,
                          const MPI_Request* request) {
  const comm::Communicator* const members = find_comm(comm);
  if (members != nullptr && !members->inter()) uses(buffer, count, datatype, access, request);
}

std::string begun_by(const proto::Request& request) {
  const std::optional<MpiCall> call = objects().made_by(to_handle(const_cast<proto::Request&>(request)));
  return call ? fmt::format(", begun by {}", checking::in_words({&*call, 1}).front()) : std::string();
}

void tell_of_leaks() {
  if (!runtime::checks().leaks) return;
  constexpr std::size_t most_sentences = 20;
  const std::vector<std::string> left = objects().what_is_left();
  for (std::size_t i = 0; i < left.size() && i < most_sentences; ++i) log::warning("MPI_Finalize: {}", left[i]);
  if (left.size() > most_sentences)
    log::warning("MPI_Finalize: objects that {} further calls have made are left", left.size() - most_sentences);
}

}  // namespace bowline::api

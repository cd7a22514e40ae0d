// SPDX-License-Identifier: BSD-3-Clause
// CheckedCall: what processes do to each other's memory (BOWLINE_CHECK=epochs).
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "api/checking/checked_call.hpp"
#include "api/checking/watched_windows.hpp"
#include "api/entry/communicator_handles.hpp"
#include "api/entry/datatype_handles.hpp"
#include "api/entry/group_handles.hpp"
#include "api/entry/window_handles.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "dtype/datatype.hpp"
#include "dtype/op.hpp"
#include "dtype/signature.hpp"
#include "rma/window.hpp"
#include "runtime/settings.hpp"

namespace bowline::api {
namespace {

using checking::WatchedWindows;
using checking::WindowAccess;

WatchedWindows& windows() {
  return WatchedWindows::of_this_process();
}

/// The window, if windows are watched.
rma::Window* watched(MPI_Win handle) noexcept {
  return runtime::checks().epochs ? find_win(handle) : nullptr;
}

/// The data of a put; empty if they have holes.
std::span<const std::byte> data_of(const void* address, MPI_Count count, MPI_Datatype datatype) noexcept {
  const dtype::Datatype* const type = find_datatype(datatype);
  if (type == nullptr || count <= 0 || !type->contiguous() || handle_value(address) < first_object) return {};
  return {static_cast<const std::byte*>(address) + type->origin(), static_cast<std::size_t>(count) * type->size()};
}

/// The other members wait for this one, so a failure must not stay without a word; the call itself reports the loss of
/// a member.
template <class Compare>
void tell_of_comparison(Compare compare) {
  try {
    for (const std::string& sentence : compare()) log::warning("{}", sentence);
  } catch (const Error& error) {
    log::warning("BOWLINE_CHECK=epochs: the members of a window could not compare their accesses: {}", error.what());
  }
}

}  // namespace

void CheckedCall::made(MPI_Win* handle) {
  made(*handle, checking::ObjectKind::window);
  rma::Window* const window = watched(*handle);
  if (window != nullptr) windows().watch(*window);
}

void CheckedCall::accesses(MPI_Win window, const TargetPlace& place, WindowAccess::Kind kind, MPI_Op op,
                           bool requested) {
  const dtype::Op* const operation = find_op(op);
  WindowAccess access;
  access.kind = kind;
  if (operation != nullptr) access.op = operation->predefined_as();
  accessed(window, place, access, {}, requested);
}

void CheckedCall::puts(MPI_Win window, const TargetPlace& place, const void* data, MPI_Count count,
                       MPI_Datatype datatype) {
  WindowAccess access;
  access.kind = WindowAccess::Kind::put;
  accessed(window, place, access, data_of(data, count, datatype), false);
}

void CheckedCall::accessed(MPI_Win handle, const TargetPlace& place, WindowAccess access,
                           std::span<const std::byte> data, bool requested) {
  rma::Window* const window = watched(handle);
  const dtype::Datatype* const type = find_datatype(place.datatype);
  if (window == nullptr || place.rank < 0 || type == nullptr || place.count <= 0 || type->size() == 0) return;
  access.type = dtype::signature_of(*type);
  if (type->contiguous()) {
    access.begin =
        static_cast<std::uint64_t>(place.displacement * windows().unit(*window, place.rank) + type->origin());
    access.end = access.begin + static_cast<std::uint64_t>(place.count) * type->size();
  } else {
    access.kind = access.writes() ? WindowAccess::Kind::unclear : WindowAccess::Kind::get;
    access.end = access.writes() ? checking::whole_window : 0;
  }
  if (data.size() != access.end - access.begin) data = {};
  tell(windows().accessed(*window, place.rank, access, data, site(), requested));
}

/// If an operation has failed, the others have been told only after the fence, so all members compare. If the call is
/// refused, no member completes the fence.
void CheckedCall::fenced(MPI_Win handle, int code) {
  if (code == MPI_ERR_WIN || code == MPI_ERR_ASSERT || code == MPI_ERR_RMA_SYNC) return;
  if (rma::Window* const window = watched(handle)) tell_of_comparison([&] { return windows().fenced(*window); });
}

/// The function fails if an epoch is open, and then the members do not wait for each other.
void CheckedCall::frees(MPI_Win* handle) {
  const rma::Window* const window = handle == nullptr ? nullptr : watched(*handle);
  if (window == nullptr) return;
  tell_of_comparison([&]() -> std::vector<std::string> {
    try {
      window->check_free();
    } catch (const Error&) {
      return {};
    }
    return windows().freed(*window);
  });
}

void CheckedCall::started(MPI_Win handle, MPI_Group targets) {
  const rma::Window* const window = watched(handle);
  const comm::Group* const group = find_group(targets);
  if (window != nullptr && group != nullptr) windows().started(*window, *group);
}

void CheckedCall::posted(MPI_Win handle, MPI_Group origins) {
  const rma::Window* const window = watched(handle);
  const comm::Group* const group = find_group(origins);
  if (window != nullptr && group != nullptr) windows().posted(*window, *group);
}

void CheckedCall::access_ended(MPI_Win handle) {
  if (const rma::Window* const window = watched(handle)) windows().access_ended(*window);
}

void CheckedCall::locked(MPI_Win handle, int target, int lock_type) {
  const rma::Window* const window = watched(handle);
  if (window != nullptr && target >= 0) windows().locked(*window, target, lock_type == MPI_LOCK_EXCLUSIVE);
}

void CheckedCall::locked_all(MPI_Win handle) {
  if (const rma::Window* const window = watched(handle)) windows().locked_all(*window);
}

void CheckedCall::unlocked(MPI_Win handle, int target) {
  const rma::Window* const window = watched(handle);
  if (window != nullptr && target != MPI_PROC_NULL) windows().unlocked(*window, target);
}

void CheckedCall::flushed(MPI_Win handle, int target) {
  const rma::Window* const window = watched(handle);
  if (window != nullptr && target != MPI_PROC_NULL) windows().flushed(*window, target);
}

void CheckedCall::learns() {
  if (runtime::checks().epochs) windows().learn();
  if (runtime::checks().buffers) checking::StandIns::of_this_process().deliver_late();
}

void CheckedCall::passed_barrier(MPI_Comm comm) {
  const comm::Communicator* const members = find_comm(comm);
  if (runtime::checks().epochs && members != nullptr) windows().passed_barrier(*members);
}

}  // namespace bowline::api

// SPDX-License-Identifier: BSD-3-Clause
#include "api/tools/event_registration.hpp"

#include "api/entry/this_process.hpp"
#include "api/tools/deferred_events.hpp"

namespace bowline::api {
namespace {

/// What a callback must promise that is called now, in this thread, in the middle of the library.
MPI_T_cb_safety needed_here() noexcept {
  const bool one_thread = this_process().is_main_thread() && this_process().thread_level() != MPI_THREAD_MULTIPLE;
  return one_thread ? MPI_T_CB_REQUIRE_MPI_RESTRICTED : MPI_T_CB_REQUIRE_THREAD_SAFE;
}

}  // namespace
}  // namespace bowline::api

MPI_ABI_T_event_registration::~MPI_ABI_T_event_registration() {
  if (free_function_ != nullptr) free_function_(this, MPI_T_CB_REQUIRE_NONE, free_data_);
}

void MPI_ABI_T_event_registration::set(MPI_T_cb_safety level, Callback callback) noexcept {
  const int needed_before = has(MPI_T_CB_REQUIRE_NONE) ? 1 : 0;
  callbacks_[index_of(level)] = callback;
  const int needed_now = has(MPI_T_CB_REQUIRE_NONE) ? 1 : 0;
  if (needed_now != needed_before) bowline::api::DeferredEvents::need(needed_now - needed_before);
}

void MPI_ABI_T_event_registration::end() noexcept {
  kind_.remove(*this);
  set(MPI_T_CB_REQUIRE_NONE, {});
  callbacks_ = {};
}

void MPI_ABI_T_event_registration::hear(const bowline::Occurrence& occurrence) noexcept {
  for (std::size_t i = index_of(bowline::api::needed_here()); i < levels.size(); ++i) {
    if (has(levels[i])) return call(levels[i], {occurrence, bowline::api::immediate_source});
  }
  if (has(MPI_T_CB_REQUIRE_NONE)) {
    bowline::api::DeferredEvents::keep(*this, occurrence);
  } else if (has(MPI_T_CB_REQUIRE_MPI_RESTRICTED)) {
    drop();
  }
}

void MPI_ABI_T_event_registration::call(MPI_T_cb_safety level, const MPI_ABI_T_event_instance& instance) noexcept {
  Callback callback;
  MPI_T_event_dropped_cb_function* dropped_handler = nullptr;
  {
    const bowline::EventKind::Pause pause;
    callback = callbacks_[index_of(level)];
    dropped_handler = dropped_handler_;
  }
  if (callback.function == nullptr) return;
  const std::uint64_t dropped = dropped_handler == nullptr ? 0 : dropped_.exchange(0, std::memory_order_relaxed);
  if (dropped > 0) dropped_handler(static_cast<MPI_Count>(dropped), this, instance.source, level, callback.user_data);
  // A tool only passes the instance on.
  callback.function(const_cast<MPI_ABI_T_event_instance*>(&instance), this, level, callback.user_data);
}

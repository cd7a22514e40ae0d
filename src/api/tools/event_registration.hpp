// SPDX-License-Identifier: BSD-3-Clause
// What a tool has registered for an event (MPI-5.0, section 15.3.8).
//
// An event happens in the middle of a call or of progress, under locks. There only callbacks may be called that promise
// to call nothing but the tool interface (MPI_T_CB_REQUIRE_MPI_RESTRICTED), and to be safe in any thread
// (MPI_T_CB_REQUIRE_THREAD_SAFE) if several threads may call MPI. A callback that promises nothing gets a copy of the
// event at the end of a later call of the program (deferred_events.hpp).
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/atomic.hpp"
#include "base/events/event.hpp"

/// What an MPI_T_event_instance refers to: an event while a callback is called for it.
struct MPI_ABI_T_event_instance {
  bowline::Occurrence event;
  int source;
};

/// What an MPI_T_event_registration refers to. All functions but call() and drop() are called under EventKind::Pause.
struct MPI_ABI_T_event_registration final : bowline::EventListener,
                                            std::enable_shared_from_this<MPI_ABI_T_event_registration> {
 public:
  /// From the least strict one on.
  static constexpr std::array levels{MPI_T_CB_REQUIRE_NONE, MPI_T_CB_REQUIRE_MPI_RESTRICTED,
                                     MPI_T_CB_REQUIRE_THREAD_SAFE, MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE};
  /// The place of a level among `levels`; their number if it is none of them.
  static constexpr std::size_t index_of(MPI_T_cb_safety level) noexcept {
    std::size_t index = 0;
    while (index < levels.size() && levels[index] != level) ++index;
    return index;
  }

  struct Callback {
    MPI_T_event_cb_function* function = nullptr;
    void* user_data = nullptr;
  };

  explicit MPI_ABI_T_event_registration(bowline::EventKind& kind) noexcept : kind_(kind) {}
  MPI_ABI_T_event_registration(const MPI_ABI_T_event_registration&) = delete;
  MPI_ABI_T_event_registration& operator=(const MPI_ABI_T_event_registration&) = delete;
  /// Calls the function of freed_by(), because no other callback can come any more.
  ~MPI_ABI_T_event_registration();

  void begin() { kind_.add(*this); }
  /// No callback begins any more; one that is called already goes on.
  void end() noexcept;
  void hear(const bowline::Occurrence& occurrence) noexcept override;

  void set(MPI_T_cb_safety level, Callback callback) noexcept;
  bool has(MPI_T_cb_safety level) const noexcept { return callbacks_[index_of(level)].function != nullptr; }
  void set_dropped(MPI_T_event_dropped_cb_function* handler) noexcept { dropped_handler_ = handler; }
  void freed_by(void* user_data, MPI_T_event_free_cb_function* function) noexcept {
    free_function_ = function;
    free_data_ = user_data;
  }

  /// Calls the callback of this level, after the tool was told of dropped events.
  void call(MPI_T_cb_safety level, const MPI_ABI_T_event_instance& instance) noexcept;
  /// An event could not be kept for the callback that promises nothing.
  void drop() noexcept { dropped_.fetch_add(1, std::memory_order_relaxed); }

 private:
  bowline::EventKind& kind_;
  std::array<Callback, levels.size()> callbacks_{};
  MPI_T_event_dropped_cb_function* dropped_handler_ = nullptr;
  bowline::Atomic<std::uint64_t> dropped_{0};  ///< of which the tool has not been told
  MPI_T_event_free_cb_function* free_function_ = nullptr;
  void* free_data_ = nullptr;
};

namespace bowline::api {

/// The sources of events, by their index.
enum EventSource : int { immediate_source, deferred_source, event_sources };

}  // namespace bowline::api

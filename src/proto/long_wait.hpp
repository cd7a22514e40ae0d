// SPDX-License-Identifier: BSD-3-Clause
// Describes in words what a call waits for, once the wait is long.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/atomic.hpp"
#include "base/profile/wait_profile.hpp"
#include "base/waits/wait_board.hpp"
#include "proto/events/engine_events.hpp"

namespace bowline::proto {

class Engine;

/// A wait, in words and by the ranks that can end it.
struct WaitDescription {
  std::string words;  ///< they follow the name of the MPI function: "for a receive ..."
  WaitTargets targets{};
  std::vector<std::uint32_t> contexts{};  ///< of the operations, whose communicators may limit the wait
};

/// What a call waits for: an object on the stack of the waiting thread, and a function that describes it. It is passed
/// by value, in registers, and is not used before the wait is long.
struct Awaiting {
  /// The waiting thread calls it, with the locks that it holds while it waits. `lane`: the lane in which it waits; any
  /// lane if it waits in all.
  using Describe = WaitDescription (*)(Engine& lane, const void* what);

  Describe describe = nullptr;  ///< nullptr: the name of the MPI function suffices
  const void* what = nullptr;
};

// What calls wait for (awaited.cpp):

/// A request, in words for a call that waits for any kind: "for a receive on MPI_COMM_WORLD from rank 1, tag 7".
WaitDescription request_awaited(Engine& lane, const void* request);
/// A ReceiveRequest or SendRequest, for a call whose name says what it does: "on MPI_COMM_WORLD from rank 1, tag 7".
WaitDescription receive_awaited(Engine& lane, const void* request);
WaitDescription send_awaited(Engine& lane, const void* request);
/// A Match.
WaitDescription match_awaited(Engine& lane, const void* match);
/// The end of all sends of the lane.
WaitDescription sends_awaited(Engine& lane, const void*);

/// Is notified while a wait is long.
class WaitWatcher {
 public:
  /// The waiting thread has written anew what it waits for (ShownWait::line()). It holds the lock of `lane`, or of
  /// none.
  virtual void looked(Engine& lane) noexcept = 0;

 protected:
  ~WaitWatcher() = default;
};

/// A wait whose thread has begun to sleep, on that thread's stack.
class LongWait {
 public:
  LongWait() = default;
  LongWait(const LongWait&) = delete;
  LongWait& operator=(const LongWait&) = delete;
  ~LongWait() {
    if (looked_at_ != 0) end();
  }

  /// To be called repeatedly while the wait lasts, after a round of progress that has found nothing. Shows the wait
  /// when it has lasted 50 ms, and interrupts communicators that have a time limit for it (ProcessDirectory).
  void look(Engine& lane, Awaiting awaited) noexcept {
    if (looked_at_ == 0) begin(lane, awaited);
    if (profile_ != nullptr && !place_.has_value()) find_place(lane, awaited);
    if (ShownWait::is_shown()) show_if_long(lane, awaited);
  }
  /// Whether some call of this process waits that has begun to sleep.
  static bool any() noexcept { return waits.load(std::memory_order_relaxed) > 0; }
  /// A round of progress begins.
  void begin_round(Engine& lane) noexcept {
    if (profile_ != nullptr) note_time(lane);
  }
  /// The round of progress has found so many events.
  void progressed(unsigned events) noexcept {
    events_ += events;
    moves_ = true;
  }

  /// All waits of this process notify the watcher, which must not end before the process. nullptr: none.
  static void watch_by(WaitWatcher* by) noexcept { watcher.store(by, std::memory_order_release); }
  /// The threads of this process other than `others`, which ascend, and the calling one never call MPI: the library has
  /// started them. To be called before a second thread calls MPI.
  static void own_threads_are_those_beside(std::span<const pid_t> others);

 private:
  /// Where the wait is, for a WaitProfile.
  struct Place {
    CallSites::Site& site;
    std::int32_t rank;
  };

  void begin(Engine& lane, Awaiting awaited) noexcept;
  void find_place(Engine& lane, Awaiting awaited) noexcept;
  void note_time(Engine& lane) noexcept;
  void end() noexcept;
  void show_if_long(Engine& lane, Awaiting awaited) noexcept;
  void keep_limits(Engine& lane, const WaitDescription& wait) const;

  static inline constinit Atomic<WaitWatcher*> watcher{nullptr};
  static inline constinit Atomic<int> waits{0};

  ShownWait::Clock::time_point began_{};
  ShownWait::Clock::time_point next_{};  ///< when the description is written again
  std::optional<ShownWait> shown_;
  std::uint64_t events_ = 0;
  std::int64_t looked_at_ = 0;     ///< event_time() of the first look(); 0: there was none
  std::optional<WaitEvent> told_;  ///< the event wait_begun
  WaitProfile* profile_ = nullptr;
  std::optional<Place> place_;
  // For the profile:
  std::int64_t noted_at_ = 0;  ///< event_time() of the last note_time()
  bool moves_ = false;         ///< since then data move
  std::uint64_t moving_ = 0;   ///< nanoseconds
};

}  // namespace bowline::proto

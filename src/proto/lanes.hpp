// SPDX-License-Identifier: BSD-3-Clause
// Lanes: the engines of one process. A communicator is served by one lane, which is chosen when the communicator is
// made. Threads in different lanes share nothing and never wait for each other. A thread that waits in one lane also
// makes progress in the lanes that no other thread uses.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "base/diagnosis/layout_of.hpp"
#include "base/wait.hpp"
#include "proto/context.hpp"
#include "proto/sleepers.hpp"
#include "transport/transport.hpp"

namespace bowline::proto {

class Engine;

class Lanes {
 public:
  /// `sleeper`: lets threads sleep until another process wakes them; nullptr: they do not sleep.
  explicit Lanes(transport::Sleeper* sleeper = nullptr) noexcept : sleepers_(sleeper) {}

  /// Lets threads sleep at `sleeper` from now on. A thread that is about to sleep at the former place may sleep for one
  /// tenth of a second although another process would wake it.
  void sleep_at(transport::Sleeper& sleeper) noexcept { sleepers_.move_to(sleeper); }
  /// Call before any operation. The engine must outlive its use.
  void add(Engine& engine) { engines_.push_back(&engine); }
  /// Raises the number of processes. Operations may be pending. The caller holds no lane's lock. Throws std::bad_alloc;
  /// the call may then be repeated.
  void grow_to(int processes);
  /// Calls `settle` now, and from time to time while a call waits. An oversubscribed process thus returns to the core
  /// that it prefers. For processes in which one thread at a time waits.
  void settle_with(std::function<void()> settle) {
    settle_ = std::move(settle);
    settle_();
  }
  std::size_t count() const noexcept { return engines_.size(); }
  Engine& operator[](std::size_t lane) const noexcept { return *engines_[lane]; }
  /// The engine that serves this context.
  Engine& of(std::uint32_t context) const noexcept { return *engines_[lane_of(context)]; }

  /// Rests after a round of progress without events. For a call that waits in lane `mine` and holds its lock. Returns
  /// true if it has slept.
  bool rest(Engine& mine, Rest kind);
  /// As above, for a call that waits without holding any lane's lock.
  void rest(Rest kind);
  /// As ProgressLoop::look_for_lost(), in all lanes. The caller holds no lane's lock.
  void look_for_lost();
  /// The events that rest() of this thread has found in lanes beside the one in which the thread waited.
  static std::uint64_t events_beside() noexcept { return beside; }
  /// Makes progress in all lanes except this one that no thread uses; returns the number of events.
  unsigned progress(const Engine* but = nullptr);
  /// Makes progress in all lanes that no thread uses, for calls that do not wait, such as MPI_Test: yields after many
  /// calls in a row without an event.
  void poll();

  /// One round of the progress thread (progress_thread.hpp): makes progress in all lanes that no thread uses.
  struct Round {
    unsigned events = 0;
    bool outstanding = false;  ///< whether operations are pending in these lanes
    bool reachable = false;    ///< whether one of them has a network: the contacts of peers wait for its polls
    bool occupied = false;     ///< whether another thread uses a lane
  };
  Round look_after();
  /// Lets the progress thread sleep until an operation may have advanced, or for this time: a call of another thread
  /// that returns may leave an operation that waits for a word without this thread's notice.
  void doze(std::chrono::milliseconds longest);

  /// Wakes the sleeping threads of this process, because an operation for which they wait may have completed.
  void wake_sleepers() noexcept { sleepers_.wake(); }

 private:
  template <class>
  friend struct bowline::LayoutOf;
  void rested(bool slept, bool waits = true);
  bool busy_but(const Engine* mine);

  static inline constinit thread_local std::uint64_t beside = 0;

  Sleepers sleepers_;
  std::vector<Engine*> engines_;
  std::function<void()> settle_;
  unsigned yields_ = 0;  ///< since the last call of `settle_`, modulo its interval
};

}  // namespace bowline::proto

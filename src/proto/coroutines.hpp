// SPDX-License-Identifier: BSD-3-Clause
// The coroutines of an engine: those that wait for a word in shared memory, and those that a round of progress resumes.
#pragma once

#include <coroutine>
#include <vector>

#include "base/list.hpp"
#include "proto/request_store.hpp"
#include "proto/watch.hpp"

namespace bowline::proto {

class Coroutines {
 public:
  /// `requests`: the requests for which coroutines wait.
  explicit Coroutines(const RequestStore& requests);

  bool any() const noexcept { return !ready_.empty() || !watches_.empty(); }
  bool any_watch() const noexcept { return !watches_.empty(); }
  /// Whether the next round of progress resumes a coroutine.
  bool any_to_resume() noexcept;

  /// Registers a watch. The caller keeps ownership of it.
  void add(Watch& watch) noexcept { watches_.push_back(watch); }
  /// Has the coroutine resumed in the next round of progress. Throws std::bad_alloc.
  void resume_later(std::coroutine_handle<> waiter) { ready_.push_back(waiter); }
  /// Has the coroutine that waits for this completed request resumed in the next round of progress.
  void resume_waiter_of(Request& request) noexcept;

  /// A round of progress: resumes the coroutines whose operations or words are ready. Returns whether there were any.
  bool resume();
  /// Resumes one coroutine whose word has reached its value. Returns whether there was one.
  bool resume_one_reached();

  /// Set the sleep notices of all watches before this process sleeps, and clear them when it wakes.
  void put_up_notices() noexcept;
  void take_down_notices() noexcept;
  /// Calls `action` with every watch.
  template <class Action>
  void for_each_watch(Action action) {
    watches_.find([&](Watch& each) { return action(each), false; });
  }
  /// The first watch that `accepts` holds of; nullptr if there is none.
  template <class Accept>
  Watch* find_watch(Accept accept) {
    return watches_.find(accept);
  }

 private:
  void look_at_watches() noexcept;
  void resume_unlisted() noexcept;

  const RequestStore& requests_;
  List<Watch> watches_;                         ///< words in shared memory for which coroutines wait
  std::vector<std::coroutine_handle<>> ready_;  ///< coroutines whose operation has completed
  std::vector<std::coroutine_handle<>> spare_;  ///< empty; keeps memory for `ready_`
  bool unlisted_ready_ = false;  ///< whether a coroutine could not be added to `ready_` for lack of memory
};

}  // namespace bowline::proto

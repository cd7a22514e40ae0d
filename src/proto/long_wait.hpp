// SPDX-License-Identifier: BSD-3-Clause
// What calls wait for, in words, once they wait for long.
#pragma once

#include <optional>
#include <string>

#include "base/waits/wait_board.hpp"

namespace bowline::proto {

class Engine;

/// What a call waits for: something on the stack of the waiting thread, and a function that puts it into words. Passed
/// by value, in registers, and not looked at before the wait has become long.
struct Awaiting {
  /// Gives words that follow the name of the MPI function, as "for a receive ...". Called by the waiting thread, with
  /// the locks that it holds while it waits. `lane`: in which it waits; any, if it waits in all of them.
  using InWords = std::string (*)(Engine& lane, const void* what);

  InWords in_words = nullptr;  ///< nullptr: the name of the function says it all
  const void* what = nullptr;
};

// What calls wait for (in_words.cpp):

/// A request, in words for a call that waits for any kind: "for a receive on MPI_COMM_WORLD from rank 1, tag 7".
std::string request_awaited(Engine& lane, const void* request);
/// A ReceiveRequest or SendRequest, for a call whose name says what it does: "on MPI_COMM_WORLD from rank 1, tag 7".
std::string receive_awaited(Engine& lane, const void* request);
std::string send_awaited(Engine& lane, const void* request);
/// A Match.
std::string match_awaited(Engine& lane, const void* match);
/// The end of all sends of the lane.
std::string sends_awaited(Engine& lane, const void*);

/// A wait whose thread has begun to sleep, on that thread's stack.
class LongWait {
 public:
  /// Called again and again while the wait goes on. The launcher sees the wait when it has lasted for some tens of
  /// milliseconds.
  void look(Engine& lane, Awaiting awaited) noexcept {
    if (ShownWait::board_joined()) show_if_long(lane, awaited);
  }

 private:
  void show_if_long(Engine& lane, Awaiting awaited) noexcept;

  ShownWait::Clock::time_point next_{};  ///< when it is to be put into words the next time
  std::optional<ShownWait> shown_;
};

}  // namespace bowline::proto

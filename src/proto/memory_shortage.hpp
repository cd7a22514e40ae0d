// SPDX-License-Identifier: BSD-3-Clause
// What happens to an arriving message, or to the next part of a message to be sent, for which there is no memory.
#pragma once

#include <chrono>
#include <new>

#include "transport/transport.hpp"

namespace bowline::proto {

/// How long a message for which there is no memory is tried again. A shortage lasts as long as requests for memory fail
/// at most `pause` apart. Requests that succeed meanwhile do not end the shortage: a short message may find memory
/// where a long one never does.
class MemoryShortage {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds longest{10};
  static constexpr std::chrono::seconds pause{1};

  /// Notes a request that has failed. Returns whether it may be tried again; false if the shortage lasts too long.
  bool may_end(Clock::time_point now) noexcept {
    if (now - last_ > pause) first_ = now;
    last_ = now;
    return now - first_ < longest;
  }

  /// What an arriving message that has changed nothing yet needs memory for. If there is none, the message stays in the
  /// transport, which delivers it again: until then the program may post its receive or free memory. Throws NotYet; if
  /// the shortage lasts too long, std::bad_alloc, which ends the connection.
  template <class Action>
  decltype(auto) with_memory(Action action) {
    try {
      return action();
    } catch (const std::bad_alloc&) {
      put_off();
    }
  }

 private:
  [[noreturn, gnu::cold]] void put_off() {
    if (!may_end(Clock::now())) throw std::bad_alloc();
    throw transport::NotYet(ErrorClass::no_mem, "no memory");  // short, because the words need no memory themselves
  }

  Clock::time_point first_{};
  Clock::time_point last_{};
};

}  // namespace bowline::proto

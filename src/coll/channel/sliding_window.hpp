// SPDX-License-Identifier: BSD-3-Clause
// Waiting for transfers of a TransferWindow, for algorithms that keep several transfers pending.
//
//   auto vacancy = room(window);
//   co_await vacancy;
//   window.push(channel.send(...));
//   ...
//   Task drained = drain(window);
//   co_await drained;
#pragma once

#include <coroutine>
#include <cstddef>
#include <optional>

#include "base/task.hpp"
#include "coll/channel/channel.hpp"

namespace bowline::coll {

/// Awaiting a Room (co_await) waits until the window has room for one more transfer. Needs a named variable, like every
/// Transfer.
class [[nodiscard]] Room {
 public:
  template <std::size_t capacity>
  explicit Room(TransferWindow<capacity>& window) {
    if (window.full()) oldest_.emplace(window.pop());
  }

  bool await_ready() const noexcept { return !oldest_ || oldest_->await_ready(); }
  void await_suspend(std::coroutine_handle<> waiter) noexcept { oldest_->await_suspend(waiter); }
  /// Throws Error if the transfer that made room has failed.
  void await_resume() {
    if (oldest_) oldest_->await_resume();
  }

 private:
  std::optional<Transfer> oldest_;
};

template <std::size_t capacity>
Room room(TransferWindow<capacity>& window) {
  return Room(window);
}

/// Waits for all transfers of the window, which must outlive the task.
template <std::size_t capacity>
Task drain(TransferWindow<capacity>& window) {
  while (!window.empty()) {
    auto oldest = window.pop();
    co_await oldest;
  }
}

}  // namespace bowline::coll

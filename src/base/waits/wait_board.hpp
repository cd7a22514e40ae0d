// SPDX-License-Identifier: BSD-3-Clause
// What this process waits for, on the wait board of its launcher. Without a board nothing here does anything.
#pragma once

#include <atomic>
#include <chrono>
#include <string_view>

#include "base/list.hpp"
#include "base/waits/wait_slot.hpp"

namespace bowline {

/// A wait that the launcher can see while the object lives. If several threads wait, the launcher sees the wait that
/// was shown first.
class ShownWait final : public ListNode {
 public:
  using Clock = std::chrono::steady_clock;

  /// Shown by the first call of tell().
  explicit ShownWait(Clock::time_point since) noexcept : since_(since) {}
  /// Shown at once: for a call of another library, which does not come back before the wait is over.
  explicit ShownWait(std::string_view what) noexcept : since_(Clock::now()) { tell(what); }
  ShownWait(const ShownWait&) = delete;
  ShownWait& operator=(const ShownWait&) = delete;
  ~ShownWait();

  /// `what`: what the wait is for, in words that follow the name of the MPI function. May change from call to call.
  void tell(std::string_view what) noexcept;

  /// Takes the slot that BOWLINE_WAIT_BOARD names, once per process. A value that is wrong, or names something else
  /// than a wait board, is ignored: a program may have changed the variable or closed the descriptor.
  static void join_board() noexcept;
  static bool board_joined() noexcept { return slot.load(std::memory_order_relaxed) != nullptr; }

 private:
  static inline constinit std::atomic<WaitSlot*> slot{nullptr};

  Clock::time_point since_;
  const char* function_ = nullptr;
};

}  // namespace bowline

// SPDX-License-Identifier: BSD-3-Clause
// Shows on the launcher's wait board what this process waits for. Does nothing if the launcher made no board.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "base/atomic.hpp"
#include "base/diagnosis/mpi_call.hpp"
#include "base/list.hpp"
#include "base/waits/wait_slot.hpp"

namespace bowline {

/// A wait that the launcher can see while the object lives. If several threads wait, the launcher sees the wait that
/// was shown first.
class ShownWait final : public ListNode {
 public:
  using Clock = std::chrono::steady_clock;

  /// A wait that began at `since`. The first call of tell() shows it.
  explicit ShownWait(Clock::time_point since) noexcept : since_(since) {}
  /// Shows the wait at once. For a blocking call of another library, during which tell() cannot be called.
  explicit ShownWait(std::string_view what) noexcept : since_(Clock::now()) { tell(what); }
  ShownWait(const ShownWait&) = delete;
  ShownWait& operator=(const ShownWait&) = delete;
  ~ShownWait();

  /// Writes what the wait is for. `what`: words that follow the name of the MPI function. `targets`: who can end the
  /// wait. `events`: how much has happened during the wait. All of them may change from call to call.
  void tell(std::string_view what, const WaitTargets& targets = {}, std::uint64_t events = 0) noexcept;

  /// Takes the slot that BOWLINE_WAIT_BOARD names. Call once per process. Ignores a value that names no wait board,
  /// because a program may have changed the variable or closed the descriptor.
  static void join_board() noexcept;
  /// Writes which collectives this process has called (WaitSlot::write_calls()).
  static void tell_calls(std::uint64_t digest, std::string_view words) noexcept;
  static bool board_joined() noexcept { return slot.load(std::memory_order_acquire) != nullptr; }

 private:
  static inline constinit Atomic<WaitSlot*> slot{nullptr};

  Clock::time_point since_;
  MpiCall call_{.function = nullptr};  ///< function nullptr: not yet known
};

}  // namespace bowline

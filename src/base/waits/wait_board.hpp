// SPDX-License-Identifier: BSD-3-Clause
// Shows what this process waits for: on the launcher's wait board, or else in a slot of its own memory, where the
// process itself finds it when other ranks ask (runtime/hang/hang_survey.hpp).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/atomic.hpp"
#include "base/diagnosis/mpi_call.hpp"
#include "base/list.hpp"
#include "base/waits/wait_slot.hpp"

namespace bowline {

/// A wait that is visible while the object lives. If several threads wait, the wait that was shown first is visible.
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
  /// wait. All of them may change from call to call.
  void tell(std::string_view what, const WaitTargets& targets = {}, const WaitActivity& activity = {}) noexcept;

  /// Takes the slot that BOWLINE_WAIT_BOARD names, or one of its own. Call once per process. Ignores a value that names
  /// no wait board, because a program may have changed the variable or closed the descriptor.
  static void join_board() noexcept;
  /// If the launcher does not see the waits of this process, bowline-ps finds them from now on: in a memory file whose
  /// name says which rank of which job this is. To be called while no wait is shown.
  static void show_to_user(int rank, int ranks, std::string_view job) noexcept;
  /// Writes which collectives this process has called (WaitSlot::write_calls()).
  static void tell_calls(std::uint64_t digest, std::string_view words) noexcept;
  /// MPI has started in this process (WaitSlot::write_ready()).
  static void tell_ready() noexcept;
  /// Whether waits are shown: join_board() has been called.
  static bool is_shown() noexcept { return slot.load(std::memory_order_acquire) != nullptr; }
  /// Whether the launcher sees them.
  static bool board_joined() noexcept;
  /// What this process shows.
  static WaitSlot::Line line();
  /// The same for a signal handler.
  static WaitSlot::Glimpse glimpse() noexcept;
  /// What a rank of this job shows on the launcher's board; nothing if there is no board, or no slot for the rank.
  static std::optional<WaitSlot::Line> line_of(std::int32_t rank);
  /// How a rank of this job has ended, if the launcher has told (WaitSlot::read_end()).
  static std::optional<WaitSlot::End> end_of(std::int32_t rank) noexcept;

 private:
  static inline constinit Atomic<WaitSlot*> slot{nullptr};
  static inline constinit Atomic<bool> launcher_sees{false};

  void learn_call() noexcept;

  Clock::time_point since_;
  MpiCall call_{.function = nullptr};  ///< function nullptr: not yet known
  std::string place_{};                ///< " (solver.py:88)", if a program in Python has called
};

}  // namespace bowline

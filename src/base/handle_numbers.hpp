// SPDX-License-Identifier: BSD-3-Clause
// HandleNumbers: integers that represent handles for languages in which a handle is not a pointer, such as Fortran
// (MPI-5.0, section 20.4).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

namespace bowline {

/// A handle gets a number at the first request and keeps it until forget() or until its object is used for another
/// handle. A number holds a slot and the number of the slot's uses, so the number of a freed handle stays invalid for a
/// long time. Thread-safe.
class HandleNumbers {
 public:
  /// Smaller numbers represent predefined handles, which need no slot.
  static constexpr int first = 0x1000;

  /// `object`: the address that the handle names; `handle`: all its bits, which may distinguish uses of the object.
  /// Throws Error (no_space) if there are more handles than numbers.
  int number_of(std::uintptr_t object, std::uintptr_t handle, int kind);
  /// The bits of the handle; nothing if the number represents no handle of this kind.
  std::optional<std::uintptr_t> handle_of(int number, int kind) const;
  /// Invalidates the number of the object's handles. To be called before the object is destroyed.
  void forget(std::uintptr_t object) {
    if (used_.load(std::memory_order_relaxed) != 0) [[unlikely]]
      forget_known(object);
  }

 private:
  static constexpr int slot_bits = 24;
  static constexpr std::size_t most_slots = (std::size_t{1} << slot_bits) - first;
  static constexpr std::uint8_t last_use = 127;  // leaves the sign bit free
  /// The number of free slots that are kept before the slot that was freed first is used again.
  static constexpr std::size_t resting_slots = 1024;

  struct Slot {
    std::uintptr_t handle = 0;  ///< 0: free
    int kind = 0;
    std::uint8_t use = 0;

    void set(std::uintptr_t new_handle, int new_kind) noexcept;
  };
  std::size_t take_slot();
  void forget_known(std::uintptr_t object);
  static int number(std::size_t slot, std::uint8_t use) noexcept;

  mutable std::mutex mutex_;
  std::vector<Slot> slots_;
  std::deque<std::size_t> free_;
  std::unordered_map<std::uintptr_t, std::size_t> slot_of_;  ///< by object
  std::atomic<std::size_t> used_ = 0;
};

/// The numbers of this process; usable before MPI_Init and after MPI_Finalize.
HandleNumbers& handle_numbers();

}  // namespace bowline

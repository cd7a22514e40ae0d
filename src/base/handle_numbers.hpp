// SPDX-License-Identifier: BSD-3-Clause
// HandleNumbers: integers that represent handles for languages and ABIs in which a handle is not a pointer, such as
// Fortran (MPI-5.0, section 20.4).
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

namespace bowline {

/// A handle gets a number at the first request and keeps it until forget() or until its object is used for another
/// handle. A number holds a slot and the number of the slot's uses, so the number of a freed handle stays invalid for a
/// long time. Thread-safe. To convert a number, or a handle that had its number before, takes no lock.
class HandleNumbers {
 public:
  /// Smaller numbers represent predefined handles, which need no slot.
  static constexpr int first = 0x1000;

  /// `object`: the address that the handle names; `handle`: all its bits, which may distinguish uses of the object.
  /// Throws Error (no_space) if there are more handles than numbers.
  int number_of(std::uintptr_t object, std::uintptr_t handle, int kind);
  /// The bits of the handle; nothing if the number represents no handle of this kind.
  std::optional<std::uintptr_t> handle_of(int number, int kind) const noexcept;
  /// Invalidates the number of the object's handles. To be called before the object is destroyed.
  void forget(std::uintptr_t object) {
    if (used_.load(std::memory_order_relaxed) != 0) [[unlikely]]
      forget_known(object);
  }

 private:
  static constexpr int slot_bits = 24;
  static constexpr std::size_t most_slots = (std::size_t{1} << slot_bits) - first;
  static constexpr std::uint32_t last_use = 127;  // leaves the sign bit free
  /// The number of free slots that are kept before the slot that was freed first is used again.
  static constexpr std::size_t resting_slots = 1024;

  /// `stamp` is stored before `handle` and read after it. A reader that gets the new handle thus also gets the new stamp.
  struct Slot {
    std::atomic<std::uintptr_t> handle = 0;  ///< 0: free
    std::atomic<std::uint32_t> stamp = 0;    ///< the kind and, in the lowest eight bits, the number of uses

    void set(std::uintptr_t new_handle, int kind) noexcept;
  };
  /// Slots do not move. Each block has twice as many as the one before.
  static constexpr std::size_t first_block = 1024;
  static constexpr int blocks = slot_bits - std::bit_width(first_block) + 2;
  Slot* slot(std::size_t place) const noexcept;
  std::size_t take_slot();
  void forget_known(std::uintptr_t object);
  static constexpr std::uint32_t stamp(int kind, std::uint32_t use) noexcept {
    return static_cast<std::uint32_t>(kind) << 8 | use;
  }
  static int number(std::size_t place, std::uint32_t stamp) noexcept;

  /// Where the slot of an object was the last time. Several objects share a hint.
  std::atomic<std::uint32_t>& hint(std::uintptr_t object) noexcept { return hints_[(object >> 4) % hints_.size()]; }

  std::array<std::atomic<Slot*>, blocks> blocks_{};
  std::array<std::atomic<std::uint32_t>, 1024> hints_{};
  std::atomic<std::size_t> used_ = 0;
  std::mutex mutex_;  ///< of everything below, and of changes to slots
  std::size_t slots_ = 0;
  std::deque<std::size_t> free_;
  std::unordered_map<std::uintptr_t, std::size_t> slot_of_;  ///< by object
  std::array<std::unique_ptr<Slot[]>, blocks> memory_;
};

/// The numbers of this process; usable before MPI_Init and after MPI_Finalize.
HandleNumbers& handle_numbers();

}  // namespace bowline

// SPDX-License-Identifier: BSD-3-Clause
// HandleNumbers: integers that represent handles for languages in which a handle is not a pointer, such as Fortran
// (MPI-5.0, section 20.4).
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "base/atomic.hpp"
#include "base/cpu_relax.hpp"
#include "base/mutex.hpp"

namespace bowline {

/// How many handles there may be, and the memory for them.
struct HandleNumberSizes {
  /// Smaller numbers represent predefined handles, which need no slot.
  static constexpr int first = 0x1000;
  static constexpr int slot_bits = 24;
  /// The number of free slots that are kept before the slot that was freed first is used again.
  static constexpr std::size_t resting_slots = 1024;
  static constexpr std::size_t chunk_slots = 4096;
  static constexpr std::size_t guesses = 4096;  ///< a power of 2
};

[[noreturn]] void refuse_handle_number(std::size_t numbers);

/// A handle gets a number at the first request and keeps it until forget() or until its object is used for another
/// handle. A number holds a slot and the number of the slot's uses, so the number of a freed handle stays invalid for a
/// long time.
///
/// Thread-safe. Fortran converts handles in every call, so neither a known handle nor a number takes the lock: slots
/// never move, and a guess says which slot an object has. Two threads may not convert two handles of one object at the
/// same time, which only a program could cause that uses a freed handle.
template <class Sizes>
class HandleNumbersOf {
 public:
  static constexpr int first = Sizes::first;

  HandleNumbersOf() = default;
  HandleNumbersOf(const HandleNumbersOf&) = delete;
  HandleNumbersOf& operator=(const HandleNumbersOf&) = delete;
  ~HandleNumbersOf() {
    for (const auto& chunk : chunks_) delete chunk.load(std::memory_order_relaxed);
  }

  /// `object`: the address that the handle names; `handle`: all its bits, which may distinguish uses of the object.
  /// Throws Error (no_space) if there are more handles than numbers.
  int number_of(std::uintptr_t object, std::uintptr_t handle, int kind) {
    const std::size_t guess = guess_for(object).load(std::memory_order_relaxed);
    Slot* const slot = find_slot(guess);
    if (slot == nullptr || slot->object.load(std::memory_order_relaxed) != object) [[unlikely]]
      return number_of_unguessed(object, handle, kind);
    return number(guess, slot->represent(handle, kind));
  }

  /// The bits of the handle; nothing if the number represents no handle of this kind. The handle is read before the
  /// tag: a thread that finds a handle also finds its tag, so an old number never yields the slot's next handle.
  std::optional<std::uintptr_t> handle_of(int asked, int kind) const noexcept {
    const auto bits = static_cast<std::uint32_t>(asked);
    const std::size_t place = bits & ((std::uint32_t{1} << slot_bits) - 1);
    if (asked < 0 || place < first) return std::nullopt;
    const Slot* const slot = find_slot(place - first);
    if (slot == nullptr) return std::nullopt;
    const std::uintptr_t handle = slot->handle.load(std::memory_order_acquire);
    if (handle == 0 || handle == claimed ||
        slot->tag.load(std::memory_order_relaxed) != tag_of(kind, bits >> slot_bits))
      return std::nullopt;
    return handle;
  }

  /// Invalidates the number of the object's handles. To be called before the object is destroyed.
  void forget(std::uintptr_t object) {
    if (used_.load(std::memory_order_relaxed) != 0) [[unlikely]]
      forget_known(object);
  }

 private:
  static constexpr int slot_bits = Sizes::slot_bits;
  static constexpr std::size_t chunk_slots = Sizes::chunk_slots;
  static constexpr std::size_t guesses = Sizes::guesses;
  static constexpr std::size_t most_slots = (std::size_t{1} << slot_bits) - first;
  static constexpr std::uint32_t last_use = 127;  // leaves the sign bit free

  static constexpr std::uint32_t tag_of(int kind, std::uint32_t use) noexcept {
    return static_cast<std::uint32_t>(kind) << 8 | use;
  }

  static constexpr std::uintptr_t claimed = 1;  ///< no handle has this value

  struct Slot {
    Atomic<std::uintptr_t> object = 0;  ///< 0: free
    Atomic<std::uintptr_t> handle = 0;  ///< 0: none; `claimed`: a thread is changing the slot
    Atomic<std::uint32_t> tag = 0;      ///< the kind of the handle, and the number of the use

    /// Makes the slot represent this handle; a new handle gets a new use. Returns the use. Several threads may ask for
    /// the same handle: the one that claims the slot changes it, and the handle appears after its tag.
    std::uint32_t represent(std::uintptr_t new_handle, int kind) noexcept {
      std::uintptr_t known = handle.load(std::memory_order_acquire);
      for (;;) {
        const std::uint32_t now = tag.load(std::memory_order_relaxed);
        if (known == new_handle && now == tag_of(kind, now & 0xff)) [[likely]]
          return now & 0xff;
        if (known == claimed) {
          cpu_relax();
          known = handle.load(std::memory_order_acquire);
        } else if (handle.compare_exchange_weak(known, claimed, std::memory_order_acquire)) {
          break;
        }
      }
      const std::uint32_t before = tag.load(std::memory_order_relaxed) & 0xff;
      const std::uint32_t next = before == last_use ? 0 : before + 1;
      tag.store(tag_of(kind, next), std::memory_order_relaxed);
      handle.store(new_handle, std::memory_order_release);
      return next;
    }
  };
  using Chunk = std::array<Slot, chunk_slots>;

  Slot* find_slot(std::size_t slot) const noexcept {
    Chunk* const chunk = chunks_[slot / chunk_slots].load(std::memory_order_acquire);
    return chunk == nullptr ? nullptr : &(*chunk)[slot % chunk_slots];
  }
  Atomic<std::uint32_t>& guess_for(std::uintptr_t object) noexcept {
    return guesses_[(object >> 4) * 0x9e3779b97f4a7c15U >> (64 - std::countr_zero(guesses))];
  }
  static int number(std::size_t slot, std::uint32_t use) noexcept {
    return static_cast<int>(use << slot_bits | static_cast<std::uint32_t>(slot + first));
  }

  int number_of_unguessed(std::uintptr_t object, std::uintptr_t handle, int kind);
  std::size_t take_slot();
  void forget_known(std::uintptr_t object);

  std::array<Atomic<Chunk*>, (most_slots + chunk_slots - 1) / chunk_slots> chunks_{};
  std::array<Atomic<std::uint32_t>, guesses> guesses_{};
  Mutex mutex_;  ///< guards all members below
  std::size_t slots_ = 0;
  std::deque<std::size_t> free_;
  std::unordered_map<std::uintptr_t, std::size_t> slot_of_;  ///< by object
  Atomic<std::size_t> used_ = 0;
};

template <class Sizes>
std::size_t HandleNumbersOf<Sizes>::take_slot() {
  const bool full = slots_ == most_slots;
  if (free_.size() > Sizes::resting_slots || (full && !free_.empty())) {
    const std::size_t slot = free_.front();
    free_.pop_front();
    return slot;
  }
  if (full) refuse_handle_number(slot_of_.size());
  auto& chunk = chunks_[slots_ / chunk_slots];
  if (chunk.load(std::memory_order_relaxed) == nullptr) chunk.store(new Chunk, std::memory_order_release);
  return slots_++;
}

template <class Sizes>
int HandleNumbersOf<Sizes>::number_of_unguessed(std::uintptr_t object, std::uintptr_t handle, int kind) {
  const std::lock_guard hold(mutex_);
  auto known = slot_of_.find(object);
  if (known == slot_of_.end()) {
    const std::size_t taken = take_slot();
    known = slot_of_.emplace(object, taken).first;
    find_slot(taken)->object.store(object, std::memory_order_relaxed);
    used_.store(slot_of_.size(), std::memory_order_relaxed);
  }
  const std::size_t slot = known->second;
  guess_for(object).store(static_cast<std::uint32_t>(slot), std::memory_order_relaxed);
  return number(slot, find_slot(slot)->represent(handle, kind));
}

template <class Sizes>
void HandleNumbersOf<Sizes>::forget_known(std::uintptr_t object) {
  const std::lock_guard hold(mutex_);
  const auto known = slot_of_.find(object);
  if (known == slot_of_.end()) return;
  Slot& slot = *find_slot(known->second);
  slot.object.store(0, std::memory_order_relaxed);
  slot.handle.store(0, std::memory_order_relaxed);
  free_.push_back(known->second);
  slot_of_.erase(known);
  used_.store(slot_of_.size(), std::memory_order_relaxed);
}

extern template class HandleNumbersOf<HandleNumberSizes>;
using HandleNumbers = HandleNumbersOf<HandleNumberSizes>;

/// What make_handle_numbers() has made; null before its first call. For handle_numbers() alone.
inline constinit Atomic<HandleNumbers*> made_handle_numbers{nullptr};

/// The numbers of this process, which the first call makes. Any thread may call it at any time.
HandleNumbers& make_handle_numbers();

/// The numbers of this process; usable before MPI_Init and after MPI_Finalize. The function is inline, because Fortran
/// converts handles in every call: the function costs one load after the first call.
inline HandleNumbers& handle_numbers() {
  HandleNumbers* const made = made_handle_numbers.load(std::memory_order_acquire);
  return made != nullptr ? *made : make_handle_numbers();
}

}  // namespace bowline

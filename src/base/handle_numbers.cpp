// SPDX-License-Identifier: BSD-3-Clause
#include "base/handle_numbers.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace bowline {

HandleNumbers& handle_numbers() {
  static auto* const numbers = new HandleNumbers;  // not destroyed by exit(): the program may still convert handles
  return *numbers;
}

void HandleNumbers::Slot::set(std::uintptr_t new_handle, int new_kind) noexcept {
  handle = new_handle;
  kind = new_kind;
  use = use == last_use ? std::uint8_t{0} : static_cast<std::uint8_t>(use + 1);
}

int HandleNumbers::number(std::size_t slot, std::uint8_t use) noexcept {
  return static_cast<int>(static_cast<std::uint32_t>(use) << slot_bits | static_cast<std::uint32_t>(slot + first));
}

std::size_t HandleNumbers::take_slot() {
  const bool full = slots_.size() == most_slots;
  if (free_.size() > resting_slots || (full && !free_.empty())) {
    const std::size_t slot = free_.front();
    free_.pop_front();
    return slot;
  }
  if (full) {
    throw Error(ErrorClass::no_space,
                fmt::format("{} handles have numbers, and there are no more: free handles that are not needed",
                            slot_of_.size()));
  }
  slots_.emplace_back();
  return slots_.size() - 1;
}

int HandleNumbers::number_of(std::uintptr_t object, std::uintptr_t handle, int kind) {
  const std::lock_guard hold(mutex_);
  auto known = slot_of_.find(object);
  if (known == slot_of_.end()) {
    const std::size_t slot = take_slot();
    known = slot_of_.emplace(object, slot).first;
    used_.store(slot_of_.size(), std::memory_order_relaxed);
  }
  Slot& slot = slots_[known->second];
  if (slot.handle != handle || slot.kind != kind) slot.set(handle, kind);
  return number(known->second, slot.use);
}

std::optional<std::uintptr_t> HandleNumbers::handle_of(int asked, int kind) const {
  const auto bits = static_cast<std::uint32_t>(asked);
  const std::size_t place = bits & ((std::uint32_t{1} << slot_bits) - 1);
  const std::lock_guard hold(mutex_);
  if (asked < 0 || place < first || place - first >= slots_.size()) return std::nullopt;
  const Slot& slot = slots_[place - first];
  if (slot.handle == 0 || slot.kind != kind || slot.use != bits >> slot_bits) return std::nullopt;
  return slot.handle;
}

void HandleNumbers::forget_known(std::uintptr_t object) {
  const std::lock_guard hold(mutex_);
  const auto known = slot_of_.find(object);
  if (known == slot_of_.end()) return;
  slots_[known->second].handle = 0;
  free_.push_back(known->second);
  slot_of_.erase(known);
  used_.store(slot_of_.size(), std::memory_order_relaxed);
}

}  // namespace bowline

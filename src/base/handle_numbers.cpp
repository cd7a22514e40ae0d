// SPDX-License-Identifier: BSD-3-Clause
#include "base/handle_numbers.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace bowline {

HandleNumbers& handle_numbers() {
  static auto* const numbers = new HandleNumbers;  // not destroyed by exit(): the program may still convert handles
  return *numbers;
}

void HandleNumbers::Slot::set(std::uintptr_t new_handle, int kind) noexcept {
  const std::uint32_t use = stamp.load(std::memory_order_relaxed) & 0xff;
  stamp.store(HandleNumbers::stamp(kind, use == last_use ? 0 : use + 1), std::memory_order_relaxed);
  handle.store(new_handle, std::memory_order_release);
}

int HandleNumbers::number(std::size_t place, std::uint32_t stamp) noexcept {
  return static_cast<int>((stamp & 0xff) << slot_bits | static_cast<std::uint32_t>(place + first));
}

/// nullptr if there are fewer slots.
HandleNumbers::Slot* HandleNumbers::slot(std::size_t place) const noexcept {
  const int block = std::bit_width(place / first_block + 1) - 1;
  Slot* const begin = blocks_[static_cast<std::size_t>(block)].load(std::memory_order_acquire);
  return begin == nullptr ? nullptr : begin + (place - first_block * ((std::size_t{1} << block) - 1));
}

std::size_t HandleNumbers::take_slot() {
  const bool full = slots_ == most_slots;
  if (free_.size() > resting_slots || (full && !free_.empty())) {
    const std::size_t place = free_.front();
    free_.pop_front();
    return place;
  }
  if (full) {
    throw Error(ErrorClass::no_space,
                fmt::format("{} handles have numbers, and there are no more: free handles that are not needed",
                            slot_of_.size()));
  }
  if (slot(slots_) == nullptr) {
    const auto block = static_cast<std::size_t>(std::bit_width(slots_ / first_block + 1) - 1);
    memory_[block] = std::make_unique<Slot[]>(first_block << block);
    blocks_[block].store(memory_[block].get(), std::memory_order_release);
  }
  return slots_++;
}

int HandleNumbers::number_of(std::uintptr_t object, std::uintptr_t handle, int kind) {
  const auto is_its = [&](const Slot& its) {
    return its.handle.load(std::memory_order_acquire) == handle &&
           its.stamp.load(std::memory_order_relaxed) >> 8 == static_cast<std::uint32_t>(kind);
  };
  const std::uint32_t hinted = hint(object).load(std::memory_order_relaxed);
  if (const Slot* its = slot(hinted); its != nullptr && is_its(*its))
    return number(hinted, its->stamp.load(std::memory_order_relaxed));
  const std::lock_guard hold(mutex_);
  auto known = slot_of_.find(object);
  if (known == slot_of_.end()) {
    const std::size_t place = take_slot();
    known = slot_of_.emplace(object, place).first;
    used_.store(slot_of_.size(), std::memory_order_relaxed);
  }
  Slot& its = *slot(known->second);
  if (!is_its(its)) its.set(handle, kind);
  hint(object).store(static_cast<std::uint32_t>(known->second), std::memory_order_relaxed);
  return number(known->second, its.stamp.load(std::memory_order_relaxed));
}

std::optional<std::uintptr_t> HandleNumbers::handle_of(int asked, int kind) const noexcept {
  const auto bits = static_cast<std::uint32_t>(asked);
  const std::size_t place = bits & ((std::uint32_t{1} << slot_bits) - 1);
  if (asked < 0 || place < first) return std::nullopt;
  const Slot* const its = slot(place - first);
  if (its == nullptr) return std::nullopt;
  const std::uintptr_t handle = its->handle.load(std::memory_order_acquire);
  if (handle == 0 || its->stamp.load(std::memory_order_relaxed) != stamp(kind, bits >> slot_bits)) return std::nullopt;
  return handle;
}

void HandleNumbers::forget_known(std::uintptr_t object) {
  const std::lock_guard hold(mutex_);
  const auto known = slot_of_.find(object);
  if (known == slot_of_.end()) return;
  slot(known->second)->handle.store(0, std::memory_order_relaxed);
  free_.push_back(known->second);
  slot_of_.erase(known);
  used_.store(slot_of_.size(), std::memory_order_relaxed);
}

}  // namespace bowline

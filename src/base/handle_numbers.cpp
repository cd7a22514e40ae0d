// SPDX-License-Identifier: BSD-3-Clause
#include "base/handle_numbers.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace bowline {

HandleNumbers& make_handle_numbers() {
  static auto* const numbers = new HandleNumbers;  // not destroyed by exit(): the program may still convert handles
  made_handle_numbers.store(numbers, std::memory_order_release);
  return *numbers;
}

HandleNumbers::~HandleNumbers() {
  for (const auto& chunk : chunks_) delete chunk.load();
}

std::size_t HandleNumbers::take_slot() {
  const bool full = slots_ == most_slots;
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
  auto& chunk = chunks_[slots_ / chunk_slots];
  if (chunk.load(std::memory_order_relaxed) == nullptr) chunk.store(new Chunk, std::memory_order_release);
  return slots_++;
}

int HandleNumbers::number_of_unguessed(std::uintptr_t object, std::uintptr_t handle, int kind) {
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

void HandleNumbers::forget_known(std::uintptr_t object) {
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

}  // namespace bowline

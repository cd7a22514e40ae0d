// SPDX-License-Identifier: BSD-3-Clause
#include "verbs/send_slots.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/log.hpp"

namespace bowline::verbs {
namespace {

constexpr std::size_t slots_at_once = 32;

}  // namespace

bool SendSlots::grow() noexcept {
  if (count_ >= most_) return false;
  try {
    const std::size_t more = std::min(slots_at_once, most_ - count_);
    free_.reserve(count_ + more);
    slots_.reserve(slots_.size() + 1);
    blocks_.reserve(blocks_.size() + 1);
    auto slots = std::make_unique<SendSlot[]>(more);
    RegisteredBlock block = adapter_.make_block(more * bytes_);
    for (std::size_t i = 0; i < more; ++i) {
      slots[i] = {block.memory() + i * bytes_, block.local_key()};
      free_.push_back(&slots[i]);
    }
    slots_.push_back(std::move(slots));
    blocks_.push_back(std::move(block));
    count_ += more;
    return true;
  } catch (const std::exception& error) {
    if (count_ == 0) {
      if (!std::exchange(warned_, true)) log::warning("sending must wait: {}", error.what());
      return false;  // the caller tries again
    }
    most_ = count_;
    return !free_.empty();
  }
}

}  // namespace bowline::verbs

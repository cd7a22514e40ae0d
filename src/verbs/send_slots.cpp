// SPDX-License-Identifier: BSD-3-Clause
#include "verbs/send_slots.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/log.hpp"

namespace bowline::verbs {
namespace {

constexpr std::size_t first_slots = 8;  // an adapter for parts of transfers sends few messages
constexpr std::size_t slots_at_once = 32;

}  // namespace

MemoryLevel buffer_memory(Category::networks, "verbs_buffer_memory", "verbs_buffer_memory_peak",
                          "bytes of memory that RDMA adapters send messages from and receive them into");
Level SendSlots::slots_in_use(Category::networks, "verbs_send_slots", "verbs_send_slots_peak",
                              "messages that RDMA adapters have not sent for good, each in a slot of its own");

SendSlots::SendSlots(Adapter& adapter, std::size_t bytes, std::size_t most)
    : adapter_(adapter), bytes_(bytes), most_(most) {
  add_some(first_slots);
}

void SendSlots::add_some(std::size_t wanted) {
  const std::size_t more = std::min(wanted, most_ - count_);
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
  counted_.grow(more * bytes_);
}

bool SendSlots::grow() noexcept {
  if (count_ >= most_) return false;
  try {
    add_some(slots_at_once);
  } catch (const std::exception& error) {
    log::info("{} slots must do for messages that are sent: {}", count_, error.what());
    most_ = count_;
    return false;
  }
  return true;
}

}  // namespace bowline::verbs

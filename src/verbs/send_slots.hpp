// SPDX-License-Identifier: BSD-3-Clause
// SendSlots: registered memory from which an adapter sends copied messages. A slot is in use until the message has been
// acknowledged.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/counter.hpp"
#include "base/memory_level.hpp"
#include "verbs/verbs_adapter.hpp"

namespace bowline::verbs {

/// What adapters send messages from and receive them into.
extern MemoryLevel buffer_memory;

struct SendSlot {
  std::byte* memory;
  std::uint32_t local_key;
};

class SendSlots {
 public:
  /// Slots of `bytes` bytes each, at most `most` of them. The first ones are made at once, because nothing could be
  /// sent without them; memory for more is taken when it is needed. Throws Error, std::bad_alloc.
  SendSlots(Adapter& adapter, std::size_t bytes, std::size_t most);

  /// A free slot; nullptr if all are in use.
  SendSlot* take() noexcept {
    if (free_.empty() && !grow()) [[unlikely]]
      return nullptr;
    SendSlot* const slot = free_.back();
    free_.pop_back();
    in_use_.grow();
    return slot;
  }
  void give_back(SendSlot* slot) noexcept {
    free_.push_back(slot);
    in_use_.shrink();
  }
  /// Whether less than a quarter is left of what there can be, or nothing of what there is.
  bool is_scarce() const noexcept { return free_.empty() || 4 * (count_ - free_.size()) > 3 * most_; }

 private:
  void add_some(std::size_t wanted);
  bool grow() noexcept;

  Adapter& adapter_;
  std::size_t bytes_;
  std::size_t most_;
  std::vector<SendSlot*> free_;  ///< has room for all
  std::vector<std::unique_ptr<SendSlot[]>> slots_;
  std::vector<RegisteredBlock> blocks_;
  std::size_t count_ = 0;
  static Level slots_in_use;
  Level::Part in_use_{slots_in_use};
  MemoryLevel::Share counted_{buffer_memory, 0};
};

}  // namespace bowline::verbs

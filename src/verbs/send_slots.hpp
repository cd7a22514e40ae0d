// SPDX-License-Identifier: BSD-3-Clause
// SendSlots: registered memory from which an adapter sends copied messages. A slot is in use until the message has been
// acknowledged.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "verbs/verbs_adapter.hpp"

namespace bowline::verbs {

struct SendSlot {
  std::byte* memory;
  std::uint32_t local_key;
};

class SendSlots {
 public:
  /// Slots of `bytes` bytes each, at most `most` of them; memory is taken when it is needed.
  SendSlots(Adapter& adapter, std::size_t bytes, std::size_t most) noexcept
      : adapter_(adapter), bytes_(bytes), most_(most) {}

  /// A free slot; nullptr if all are in use, or if no memory can be registered.
  SendSlot* take() noexcept {
    if (free_.empty() && !grow()) [[unlikely]]
      return nullptr;
    SendSlot* const slot = free_.back();
    free_.pop_back();
    return slot;
  }
  void give_back(SendSlot* slot) noexcept { free_.push_back(slot); }

 private:
  bool grow() noexcept;

  Adapter& adapter_;
  std::size_t bytes_;
  std::size_t most_;
  std::vector<SendSlot*> free_;  ///< has room for all
  std::vector<std::unique_ptr<SendSlot[]>> slots_;
  std::vector<RegisteredBlock> blocks_;
  std::size_t count_ = 0;
  bool warned_ = false;  ///< that there is no memory for the first ones
};

}  // namespace bowline::verbs

// SPDX-License-Identifier: BSD-3-Clause
// ReceivePool: the shared receive queue of one lane, and its buffers. Buffers go back to the queue in batches.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/memory_level.hpp"
#include "verbs/send_slots.hpp"
#include "verbs/verbs_adapter.hpp"
#include "verbs/verbs_handles.hpp"

namespace bowline::verbs {

class ReceivePool {
 public:
  /// Buffers of `bytes` bytes; first `first` of them, at most `most`. Throws Error.
  ReceivePool(Adapter& adapter, std::size_t bytes, unsigned first, unsigned most);
  ReceivePool(const ReceivePool&) = delete;
  ReceivePool& operator=(const ReceivePool&) = delete;

  ibv_srq* queue() const noexcept { return queue_.get(); }
  /// Makes sure that there are `count` buffers. Throws Error.
  void grow_to(unsigned count);
  unsigned buffers() const noexcept { return buffers_; }

  /// A buffer, by the number that its completion carries.
  const std::byte* memory(std::uint32_t number) const noexcept { return entries_[number].memory; }
  /// The buffer can receive again; the queue gets it with the next batch.
  void give_back(std::uint32_t number) noexcept {
    waiting_[waiting_count_++] = number;
    if (waiting_count_ == batch) post_waiting();
  }
  /// Puts the buffers that wait for a batch into the queue.
  void post_waiting() noexcept;
  /// Most buffers outside of the queue that have been given back.
  static constexpr unsigned batch = 16;

 private:
  struct Entry {
    std::byte* memory;
    std::uint32_t local_key;
  };

  Adapter& adapter_;
  std::size_t bytes_;
  unsigned most_;
  unsigned buffers_ = 0;
  std::vector<RegisteredBlock> blocks_;
  SharedReceiveQueue queue_;
  std::vector<Entry> entries_;
  std::array<std::uint32_t, batch> waiting_{};
  unsigned waiting_count_ = 0;
  MemoryLevel::Share counted_{buffer_memory, 0};
};

}  // namespace bowline::verbs

// SPDX-License-Identifier: BSD-3-Clause
#include "coll/channel.hpp"

#include <bit>
#include <cstring>
#include <new>

namespace bowline::coll {
namespace {

/// Recycles memory of up to 256 KiB by powers of two, so that a collective call does not allocate. One per thread, as
/// FramePool is.
class ScratchPool {
 public:
  ScratchPool() = default;
  ScratchPool(const ScratchPool&) = delete;
  ScratchPool& operator=(const ScratchPool&) = delete;
  ~ScratchPool() {
    for (Free* list : heads_) {
      while (list != nullptr) ::operator delete(static_cast<void*>(std::exchange(list, list->next)), alignment);
    }
  }

  void* take(std::size_t bytes) {
    const std::size_t index = class_of(bytes);
    if (index >= classes) return ::operator new(bytes, alignment);
    if (heads_[index] == nullptr) return ::operator new(smallest << index, alignment);
    return std::exchange(heads_[index], heads_[index]->next);
  }

  void give(void* memory, std::size_t bytes) noexcept {
    const std::size_t index = class_of(bytes);
    if (index >= classes) return ::operator delete(memory, alignment);
    heads_[index] = new (memory) Free{heads_[index]};
  }

  static ScratchPool& of_thread() {
    thread_local ScratchPool mine;
    return mine;
  }

 private:
  struct Free {
    Free* next;
  };
  static constexpr std::align_val_t alignment{64};
  static constexpr std::size_t smallest = 256;
  static constexpr std::size_t classes = 11;

  static std::size_t class_of(std::size_t bytes) noexcept {
    return bytes <= smallest ? 0 : static_cast<std::size_t>(std::bit_width((bytes - 1) / smallest));
  }

  std::array<Free*, classes> heads_{};
};

}  // namespace

void Channel::copy(std::span<const std::byte> from, std::byte* to) {
  if (from.data() != to && !from.empty()) std::memcpy(to, from.data(), from.size());
}

std::byte* Channel::take_scratch(std::size_t bytes) {
  return bytes == 0 ? nullptr : static_cast<std::byte*>(ScratchPool::of_thread().take(bytes));
}

void Channel::give_scratch(std::byte* memory, std::size_t bytes) noexcept {
  if (memory != nullptr) ScratchPool::of_thread().give(memory, bytes);
}

}  // namespace bowline::coll

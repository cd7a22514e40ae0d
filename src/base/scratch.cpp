// SPDX-License-Identifier: BSD-3-Clause
#include "base/scratch.hpp"

#include <array>
#include <bit>
#include <new>
#include <utility>

namespace bowline {
namespace {

struct Free {
  Free* next;
};

constexpr std::align_val_t alignment{64};
constexpr std::size_t smallest = 256;
constexpr std::size_t classes = 11;

struct Lists {
  std::array<Free*, classes> heads{};

  Lists() = default;
  Lists(const Lists&) = delete;
  Lists& operator=(const Lists&) = delete;
  ~Lists() {
    for (Free* list : heads) {
      while (list != nullptr) ::operator delete(static_cast<void*>(std::exchange(list, list->next)), alignment);
    }
  }
};

Lists& of_thread() {
  thread_local Lists mine;
  return mine;
}

std::size_t class_of(std::size_t bytes) noexcept {
  return bytes <= smallest ? 0 : static_cast<std::size_t>(std::bit_width((bytes - 1) / smallest));
}

}  // namespace

void* ScratchPool::take(std::size_t bytes) {
  const std::size_t index = class_of(bytes);
  if (index >= classes) return ::operator new(bytes, alignment);
  Free*& head = of_thread().heads[index];
  if (head == nullptr) return ::operator new(smallest << index, alignment);
  return std::exchange(head, head->next);
}

void ScratchPool::give(void* memory, std::size_t bytes) noexcept {
  const std::size_t index = class_of(bytes);
  if (index >= classes) return ::operator delete(memory, alignment);
  Free*& head = of_thread().heads[index];
  head = new (memory) Free{head};
}

}  // namespace bowline

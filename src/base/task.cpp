// SPDX-License-Identifier: BSD-3-Clause
#include "base/task.hpp"

#include <bit>
#include <cstdint>

#include "base/atomic.hpp"

namespace bowline {
namespace {

constexpr std::size_t cells = 32;

struct Reserve {
  alignas(std::max_align_t) std::array<std::array<std::byte, FrameReserve::cell>, cells> memory;
  Atomic<std::uint32_t> taken;  // one bit for each cell
};
constinit Reserve reserve{};

}  // namespace

void* FrameReserve::take(std::size_t bytes) noexcept {
  if (bytes > cell) return nullptr;
  std::uint32_t taken = reserve.taken.load(std::memory_order_relaxed);
  while (taken != ~std::uint32_t{0}) {
    const auto free = static_cast<std::size_t>(std::countr_one(taken));
    if (reserve.taken.compare_exchange_weak(taken, taken | std::uint32_t{1} << free, std::memory_order_acquire))
      return reserve.memory[free].data();
  }
  return nullptr;
}

bool FrameReserve::give(void* frame) noexcept {
  const auto distance = reinterpret_cast<std::uintptr_t>(frame) - reinterpret_cast<std::uintptr_t>(&reserve.memory);
  if (distance >= sizeof reserve.memory) return false;
  reserve.taken.fetch_and(~(std::uint32_t{1} << distance / cell), std::memory_order_release);
  return true;
}

void* FramePool::make(std::size_t bytes) {
  void* frame = ::operator new(bytes, std::nothrow);
  if (frame == nullptr) frame = FrameReserve::take(bytes);
  if (frame == nullptr) throw std::bad_alloc();
  ++lists().taken.frames;
  lists().taken.bytes += bytes;
  return frame;
}

}  // namespace bowline

// SPDX-License-Identifier: BSD-3-Clause
#include "shm/copy_buffers.hpp"

#include <algorithm>
#include <exception>

#include "base/error.hpp"
#include "base/log.hpp"

namespace bowline::shm {

MemoryLevel ring_memory(Category::shared_memory, "ring_memory", "ring_memory_peak",
                        "bytes of shared memory through which this process sends messages to ranks of its node");

std::optional<CopyBuffers::Loan> CopyBuffers::lend(int neighbour, std::size_t bytes) noexcept {
  if (idle_count_ == 0 || held_by(neighbour) >= most_of_one) collect();
  if (held_by(neighbour) >= most_of_one || (idle_count_ == 0 && !make_another())) return {};
  const std::size_t number = idle_[--idle_count_];
  Buffer& buffer = buffers_[number];
  buffer.neighbour = neighbour;
  ++buffer.loan;
  return Loan{{static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(bytes), buffer.loan},
              CopyBufferArea::buffer(area_, number).first(bytes)};
}

void CopyBuffers::reclaim(int neighbour) noexcept {
  for (std::size_t number = 0; number < made_; ++number) {
    if (buffers_[number].neighbour == neighbour) put_back(number);
  }
}

/// Makes the buffers idle whose loans have ended.
void CopyBuffers::collect() noexcept {
  for (std::size_t number = 0; number < made_; ++number) {
    const Buffer& buffer = buffers_[number];
    if (buffer.neighbour != nobody &&
        CopyBufferArea::returned(area_, number).loan.load(std::memory_order_acquire) == buffer.loan)
      put_back(number);
  }
}

bool CopyBuffers::make_another() noexcept {
  if (made_ == CopyBufferArea::count || !may_make_) return false;
  try {
    if (made_ == 0) area_.reserve({area_.data(), CopyBufferArea::returns_bytes});
    area_.reserve(CopyBufferArea::buffer(area_, made_));
    counted_.grow(CopyBufferArea::buffer_bytes);
  } catch (const std::exception& error) {
    log::info("long messages to other ranks of this node go through {} copy buffers: {}", made_, error.what());
    may_make_ = false;
    return false;
  }
  put_back(made_++);
  return true;
}

void CopyBuffers::put_back(std::size_t buffer) noexcept {
  buffers_[buffer].neighbour = nobody;
  idle_[idle_count_++] = static_cast<std::uint8_t>(buffer);
}

std::size_t CopyBuffers::held_by(int neighbour) const noexcept {
  return static_cast<std::size_t>(std::ranges::count(
      buffers_.begin(), buffers_.begin() + static_cast<std::ptrdiff_t>(made_), neighbour, &Buffer::neighbour));
}

}  // namespace bowline::shm

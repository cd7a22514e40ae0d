// SPDX-License-Identifier: BSD-3-Clause
// Copy buffers: memory of a process through which it sends long bodies to its neighbours.
//
// Every pair of processes has a ring, so rings are short. A body that is too long for a ring goes through a copy buffer
// of its sender: the sender takes one of its few free buffers, copies the body into the buffer, and publishes a record
// in the ring that names the buffer. The receiver reads the body there, and gives the buffer back by storing the number
// of the loan. Pairs that are in long messages thus share memory of bounded size.
//
// The buffers of a lane stand behind the rings in its section of the inbox (inbox.hpp):
//
//   page 0     one line for each buffer, with the number of the latest loan that has ended
//   then       the buffers
//
// A buffer gets pages when it is first used, so they come from the NUMA node of its sender. The buffer that came back
// last is lent first, because it is in the caches.
//
// Neither side trusts the other: the receiver takes no place outside of a buffer, and the sender takes a buffer back
// only if the number is that of the loan. Wrong numbers cost the sender a buffer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/atomic.hpp"
#include "base/memory_level.hpp"
#include "node/segment.hpp"
#include "shm/ring_layout.hpp"

namespace bowline::shm {

/// The rings and the copy buffers through which this process sends.
extern MemoryLevel ring_memory;

/// The layout.
struct CopyBufferArea {
  static constexpr std::size_t count = 16;
  static constexpr std::size_t buffer_bytes = 64 << 10;
  static constexpr std::size_t returns_bytes = 4096;
  static constexpr std::size_t bytes = returns_bytes + count * buffer_bytes;

  struct alignas(line_bytes) Return {
    Atomic<std::uint64_t> loan;
  };
  static_assert(count * sizeof(Return) <= returns_bytes);

  static Return& returned(const node::Mapping& area, std::size_t buffer) noexcept {
    return reinterpret_cast<Return*>(area.data())[buffer];
  }
  static std::span<std::byte> buffer(const node::Mapping& area, std::size_t number) noexcept {
    return {area.data() + returns_bytes + number * buffer_bytes, buffer_bytes};
  }
};

/// The buffers of this process. Used by one thread at a time.
class CopyBuffers {
 public:
  /// A buffer that a neighbour gets. `memory` has the length of the body.
  struct Loan {
    LentBody place;
    std::span<std::byte> memory;
  };
  /// The most buffers that one neighbour has at a time: half of all buffers, so that a neighbour that reads nothing
  /// does not keep the others waiting.
  static constexpr std::size_t most_of_one = CopyBufferArea::count / 2;

  /// Uses this area, which is zero and has no pages yet.
  void open(node::Mapping area) { area_ = std::move(area); }
  bool is_open() const noexcept { return area_.size() != 0; }

  /// Lends a buffer for a body of this many bytes. Nothing if all buffers are lent, if this neighbour has its part, or
  /// if there is no memory for another buffer.
  std::optional<Loan> lend(int neighbour, std::size_t bytes) noexcept;
  /// Whether this neighbour has a buffer.
  bool serve(int neighbour) const noexcept { return held_by(neighbour) != 0; }
  /// Takes back all buffers that a neighbour has. It must have ended.
  void reclaim(int neighbour) noexcept;

 private:
  static constexpr int nobody = -1;

  struct Buffer {
    std::uint64_t loan = 0;  ///< number of the latest loan
    int neighbour = nobody;  ///< neighbour that has the buffer
  };

  void collect() noexcept;
  bool make_another() noexcept;
  void put_back(std::size_t buffer) noexcept;
  std::size_t held_by(int neighbour) const noexcept;

  node::Mapping area_;
  std::array<Buffer, CopyBufferArea::count> buffers_;
  std::array<std::uint8_t, CopyBufferArea::count> idle_{};  ///< a stack
  std::size_t idle_count_ = 0;
  std::size_t made_ = 0;  ///< buffers that have pages: the first ones
  bool may_make_ = true;  ///< whether memory for the latest buffer was found
  MemoryLevel::Share counted_{ring_memory, 0};
};

/// The buffers of a neighbour, as their reader sees them.
class BorrowedBuffers {
 public:
  void open(node::Mapping area) { area_ = std::move(area); }
  bool is_open() const noexcept { return area_.size() != 0; }

  /// The body at this place; nothing if there can be no body.
  std::optional<std::span<const std::byte>> find(const LentBody& place) const noexcept {
    if (!is_open() || place.buffer >= CopyBufferArea::count || place.bytes > CopyBufferArea::buffer_bytes) return {};
    return CopyBufferArea::buffer(area_, place.buffer).first(place.bytes);
  }
  /// Gives the buffer back, after find() has found it.
  void give_back(const LentBody& place) const noexcept {
    CopyBufferArea::returned(area_, place.buffer).loan.store(place.loan, std::memory_order_release);
  }

 private:
  node::Mapping area_;
};

}  // namespace bowline::shm

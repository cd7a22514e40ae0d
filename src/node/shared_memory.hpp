// SPDX-License-Identifier: BSD-3-Clause
// SharedMemory: memory that some processes of one node share for one purpose: a window, the collectives of a
// communicator, an open file. SharedMemoryPool: what remains of it for the next one.
//
// Making shared memory, passing it on, mapping it and getting its pages takes most of the time in which a window or a
// communicator is made. So each process keeps some memory that is not used any more, with its pages. The maker of new
// memory offers what it has kept; the ticket's secret tells the other processes whether they have kept the same memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/atomic.hpp"
#include "base/memory_level.hpp"
#include "node/handover.hpp"
#include "node/segment.hpp"

namespace bowline::node {

/// What the maker of memory tells the other processes. It travels as bytes.
struct MemoryOffer {
  Ticket ticket;
  std::uint64_t bytes = 0;    ///< bytes of the memory; 0 if there is none
  std::uint64_t lasting = 0;  ///< whether the memory will be kept
};

/// Closes a segment, and subtracts one from the number of open segments.
struct CountedClose {
  Atomic<std::size_t>* open_segments = nullptr;
  void operator()(Segment* segment) const noexcept;
};

/// Move-only. The destructor unmaps the memory, which lives as long as another process has it. Threads: any, one at a
/// time for each object.
class SharedMemory {
 public:
  SharedMemory() = default;

  const Mapping& mapping() const noexcept { return mapping_; }
  /// The offer for the other processes. The maker calls all_have_it() after they have opened the memory.
  MemoryOffer offer() const noexcept {
    return {.ticket = segment_->ticket(), .bytes = mapping_.size(), .lasting = lasting_ ? 1U : 0U};
  }
  void all_have_it() noexcept {
    if (!lasting_) segment_.reset();
  }

 private:
  friend class SharedMemoryPool;
  std::unique_ptr<Segment, CountedClose> segment_;  ///< segment of the maker, while others may open it
  Mapping mapping_;
  MemoryLevel::Share counted_;
  std::uint64_t secret_ = 0;
  bool lasting_ = false;
};

/// The memory of one kind of purpose that this process keeps. Threads: any.
class SharedMemoryPool {
 public:
  /// Which memory is kept.
  struct Bounds {
    std::size_t most;     ///< segments that a process makes and keeps open
    std::size_t unit;     ///< lengths are multiples of this unit, so that kept memory fits more often
    std::size_t longest;  ///< longer memory serves one purpose
  };
  /// What new memory must be like.
  struct Requirements {
    std::size_t bytes;          ///< at least
    std::size_t reserved;       ///< bytes that have pages and are zero, but for a secret in the first eight
    std::size_t alignment = 1;  ///< of the address, a power of two
    bool others_zero = false;   ///< whether the other bytes must be zero, too; such memory is not kept
    std::size_t besides = 0;    ///< bytes that will probably get pages later: there must be room for them now
  };
  /// Whether no process uses kept memory any more.
  using IsFree = bool (*)(std::span<std::byte> memory) noexcept;

  /// `label` shows up in /proc/PID/maps. `level` counts the memory, also what is kept. `is_free`: nullptr if memory is
  /// given to keep() only when no process uses it.
  SharedMemoryPool(std::string label, MemoryLevel& level, Bounds bounds, IsFree is_free = nullptr)
      : label_(std::move(label)), level_(level), bounds_(bounds), is_free_(is_free) {}
  SharedMemoryPool(const SharedMemoryPool&) = delete;
  SharedMemoryPool& operator=(const SharedMemoryPool&) = delete;

  /// Memory that this process offers to others. Throws Error (MPI_ERR_NO_MEM).
  SharedMemory make(const Requirements& requirements);
  /// The memory that another process has made with such requirements. Throws Error (other, no_mem).
  SharedMemory open(const MemoryOffer& offer, const Requirements& requirements);
  /// Keeps memory for later, if it is lasting; frees it otherwise.
  void keep(SharedMemory memory) noexcept;

 private:
  template <class Fits>
  std::optional<SharedMemory> take(Fits fits);

  const std::string label_;
  MemoryLevel& level_;
  const Bounds bounds_;
  const IsFree is_free_;
  std::mutex mutex_;
  Atomic<std::size_t> open_segments_ = 0;  ///< segments that this process has made, kept or in use
  std::vector<SharedMemory> kept_;         ///< the longest unused first
};

}  // namespace bowline::node

// SPDX-License-Identifier: BSD-3-Clause
// SharedMemory: the memory that the members of a window on one node share, as this process has it.
//
// Making such memory, passing it on, mapping it and getting its pages takes most of the time in which a window is made.
// So each process keeps some memory of freed windows, with its pages. The first member of a new window offers memory
// that it has kept; the ticket's secret tells the others whether they have kept the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "node/handover.hpp"
#include "node/segment.hpp"

namespace bowline::rma {

/// What the first member of a window tells the others on its node. It travels as bytes.
struct MemoryOffer {
  node::Ticket ticket;
  std::int32_t made = 0;     ///< whether there is shared memory
  std::int32_t lasting = 0;  ///< whether it will serve other windows later
};

/// Move-only. The destructor unmaps the memory, which lives as long as another process has it. Threads: any, one at a
/// time for each object.
class SharedMemory {
 public:
  static constexpr std::size_t most_lasting = 8;            ///< that a process makes
  static constexpr std::size_t lasting_bytes = 256 * 1024;  ///< the length of each; longer memory serves one window

  SharedMemory() = default;

  /// Memory for a window whose first member this process is: at least `bytes` bytes, at a multiple of `alignment`, a
  /// power of two. The first `reserved` bytes have pages and are zero, but for a secret in the first eight.
  /// `others_zero`: whether the other bytes must be zero, too; such memory is not lasting. Throws Error
  /// (MPI_ERR_NO_MEM).
  static SharedMemory make(std::size_t bytes, std::size_t reserved, std::size_t alignment, bool others_zero);
  /// The memory that the first member has made with these arguments. Throws Error (other, no_mem).
  static SharedMemory open(const MemoryOffer& offer, std::size_t bytes, std::size_t alignment);

  const node::Mapping& mapping() const noexcept { return mapping_; }
  /// For the other members; by the first one, which calls all_have_it() after they have opened the memory.
  MemoryOffer offer() const noexcept { return {.ticket = segment_->ticket(), .made = 1, .lasting = lasting_ ? 1 : 0}; }
  void all_have_it() noexcept;
  /// Leaves memory that no member uses any more to later windows, if it is lasting; frees it otherwise.
  static void spare(SharedMemory memory) noexcept;

 private:
  struct Spares;
  struct Close {
    void operator()(node::Segment* segment) const noexcept;
  };
  std::unique_ptr<node::Segment, Close> segment_;  ///< of the first member, while others may open it
  node::Mapping mapping_;
  std::uint64_t secret_ = 0;
  bool lasting_ = false;
};

}  // namespace bowline::rma

// SPDX-License-Identifier: BSD-3-Clause
// NodeShare: the memory that the processes of one node share for one open file: its range board and, on the node of
// rank 0, its shared file pointer. It has no name, so it leaves nothing behind.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "base/atomic.hpp"
#include "mpiio/sharing/range_board.hpp"
#include "mpiio/storage/storage.hpp"
#include "node/shared_memory.hpp"

namespace bowline::mpiio {

class NodeShare {
 public:
  /// Makes memory of this process alone.
  NodeShare();
  /// Makes memory for `processes` processes of the node, of which this process is the first. Throws Error.
  explicit NodeShare(int processes);
  /// Joins as process `rank`. Throws Error.
  NodeShare(const node::MemoryOffer& offer, int rank, int processes);
  /// Leaves the memory to files that are opened later. No process of the node may use it for this file any more.
  ~NodeShare();
  NodeShare(const NodeShare&) = delete;
  NodeShare& operator=(const NodeShare&) = delete;

  /// The offer for the other processes; only in the process that has made the memory for several, until
  /// all_have_joined().
  node::MemoryOffer offer() const noexcept { return memory_.offer(); }
  void all_have_joined() noexcept { memory_.all_have_it(); }

  Atomic<Offset>& pointer() noexcept { return *pointer_; }
  RangeBoard& board() noexcept { return *board_; }

 private:
  void use(std::span<std::byte> memory, int rank, int processes);

  std::unique_ptr<std::byte[]> own_;
  node::SharedMemory memory_;
  Atomic<Offset>* pointer_ = nullptr;
  std::optional<RangeBoard> board_;
};

}  // namespace bowline::mpiio

// SPDX-License-Identifier: BSD-3-Clause
// NodeShare: the memory that the processes of one node share for one open file: its range board and, on the node of
// rank 0, its shared file pointer. It has no name, so it leaves nothing behind.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "mpiio/sharing/range_board.hpp"
#include "mpiio/storage/storage.hpp"
#include "node/segment.hpp"

namespace bowline::mpiio {

/// The process that makes the memory keeps it open until the others have joined.
class NodeShare {
 public:
  /// Memory of this process alone.
  NodeShare();
  /// Makes memory for `processes` processes of the node; this one is the first. Throws Error.
  explicit NodeShare(int processes);
  /// Joins as process `rank`. Throws Error.
  NodeShare(const node::Ticket& ticket, int rank, int processes);

  /// For the others; only in the process that has made the memory for several.
  const node::Ticket& ticket() const noexcept { return segment_->ticket(); }
  /// All have joined.
  void close() noexcept { segment_.reset(); }

  std::atomic<Offset>& pointer() noexcept { return *pointer_; }
  RangeBoard& board() noexcept { return *board_; }

 private:
  void use(std::span<std::byte> memory, int rank, int processes);

  std::unique_ptr<std::byte[]> own_;
  std::optional<node::Segment> segment_;
  node::Mapping mapping_;
  std::atomic<Offset>* pointer_ = nullptr;
  std::optional<RangeBoard> board_;
};

}  // namespace bowline::mpiio

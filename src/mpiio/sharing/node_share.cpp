// SPDX-License-Identifier: BSD-3-Clause
#include "mpiio/sharing/node_share.hpp"

#include <cstring>

namespace bowline::mpiio {
namespace {

constexpr std::size_t line = 64;
// The first line begins with the secret by which a joining process recognizes the memory.
constexpr std::size_t pointer_at = line;
constexpr std::size_t board_at = 2 * line;

std::size_t bytes_for(int processes) noexcept {
  return board_at + RangeBoard::bytes_for(processes);
}

}  // namespace

NodeShare::NodeShare() {
  const std::size_t bytes = bytes_for(1);
  own_ = std::make_unique<std::byte[]>(bytes + line);
  const std::size_t beyond = reinterpret_cast<std::uintptr_t>(own_.get()) % line;
  use({own_.get() + (beyond == 0 ? 0 : line - beyond), bytes}, 0, 1);
}

NodeShare::NodeShare(int processes) {
  const std::size_t bytes = bytes_for(processes);
  segment_ = node::Segment::create("bowline-file", bytes);
  segment_->reserve(0, bytes);
  segment_->offer();
  mapping_ = segment_->map(0, bytes);
  use({mapping_.data(), bytes}, 0, processes);
}

NodeShare::NodeShare(const node::Ticket& ticket, int rank, int processes) {
  const std::size_t bytes = bytes_for(processes);
  mapping_ = node::Segment::open(ticket, bytes).segment.map(0, bytes);
  use({mapping_.data(), bytes}, rank, processes);
}

void NodeShare::use(std::span<std::byte> memory, int rank, int processes) {
  pointer_ = reinterpret_cast<std::atomic<Offset>*>(memory.data() + pointer_at);
  board_.emplace(memory.subspan(board_at), rank, processes);
}

}  // namespace bowline::mpiio

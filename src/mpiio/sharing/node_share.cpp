// SPDX-License-Identifier: BSD-3-Clause
#include "mpiio/sharing/node_share.hpp"

#include <cstring>
#include <utility>

#include "base/atomic.hpp"

namespace bowline::mpiio {
namespace {

constexpr std::size_t line = 64;
// The first line begins with the secret by which a joining process recognizes the memory.
constexpr std::size_t pointer_at = line;
constexpr std::size_t board_at = 2 * line;

std::size_t bytes_for(int processes) noexcept {
  return board_at + RangeBoard::bytes_for(processes);
}

MemoryLevel file_bytes(Category::files, "file_memory", "file_memory_peak",
                       "bytes of memory that is mapped for open files and shared with other ranks of the node");

/// The memory that is kept of closed files. The pool is never destroyed, because files may be closed while the process
/// ends.
node::SharedMemoryPool& file_memory() {
  static auto& pool =
      *new node::SharedMemoryPool("bowline-file", file_bytes, {.most = 4, .unit = 256 * 1024, .longest = 256 * 1024});
  return pool;
}

node::SharedMemoryPool::Requirements requirements_for(int processes) noexcept {
  return {.bytes = bytes_for(processes), .reserved = bytes_for(processes)};
}

}  // namespace

NodeShare::NodeShare() {
  const std::size_t bytes = bytes_for(1);
  own_ = std::make_unique<std::byte[]>(bytes + line);
  const std::size_t beyond = reinterpret_cast<std::uintptr_t>(own_.get()) % line;
  use({own_.get() + (beyond == 0 ? 0 : line - beyond), bytes}, 0, 1);
}

NodeShare::NodeShare(int processes) {
  memory_ = file_memory().make(requirements_for(processes));
  use({memory_.mapping().data(), bytes_for(processes)}, 0, processes);
}

NodeShare::NodeShare(const node::MemoryOffer& offer, int rank, int processes) {
  memory_ = file_memory().open(offer, requirements_for(processes));
  use({memory_.mapping().data(), bytes_for(processes)}, rank, processes);
}

NodeShare::~NodeShare() {
  file_memory().keep(std::move(memory_));
}

void NodeShare::use(std::span<std::byte> memory, int rank, int processes) {
  pointer_ = reinterpret_cast<Atomic<Offset>*>(memory.data() + pointer_at);
  board_.emplace(memory.subspan(board_at), rank, processes);
}

}  // namespace bowline::mpiio

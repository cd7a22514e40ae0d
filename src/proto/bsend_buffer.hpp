// SPDX-License-Identifier: BSD-3-Clause
// BsendBuffer: the memory that buffered sends are copied to (MPI-5.0, section 3.6). The user attaches it, or lets the
// library find some (MPI_BUFFER_AUTOMATIC).
//
// Messages take the first gap that is long enough, and give it back when they have left. What the library notes about
// them lies outside, so a buffer holds at least what MPI promises for its size. Used by several lanes: it has a lock of
// its own.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <span>

#include "proto/engine.hpp"

namespace bowline::proto {

class BsendBuffer {
 public:
  BsendBuffer();
  ~BsendBuffer();
  BsendBuffer(const BsendBuffer&) = delete;
  BsendBuffer& operator=(const BsendBuffer&) = delete;

  bool attached() const noexcept { return kind_.load(std::memory_order_acquire) != Kind::none; }
  bool automatic() const noexcept { return kind_.load(std::memory_order_acquire) == Kind::automatic; }
  /// The user's memory; nothing of an automatic buffer.
  std::span<std::byte> memory() const noexcept;

  // Both throw Error (MPI_ERR_BUFFER) if a buffer is attached already.
  void attach(std::span<std::byte> memory);
  void attach_automatic();
  /// Forgets the buffer, which must be empty.
  void detach() noexcept;

  /// Sends a copy of the message. Throws Error (MPI_ERR_BUFFER) if there is no room for it.
  void send(Engine& engine, int to, transport::Header header, const Buffer& message);

  /// The number of the latest message; all up to a number have left if left() says so.
  std::uint64_t latest() const noexcept;
  bool left(std::uint64_t number) const noexcept;

  /// A request that is done when every message sent so far has left. `context` names the communicator that hears of
  /// errors.
  Request& flush_request(std::uint32_t context);

 private:
  enum class Kind : std::uint8_t { none, memory, automatic };
  class Block;
  class Flush;

  void attach(Kind kind, std::span<std::byte> memory);
  Block& reserve(std::size_t bytes);
  void give_back(Block& block) noexcept;
  bool left_locked(std::uint64_t number) const noexcept;

  std::atomic<Kind> kind_{Kind::none};  ///< written under the lock, looked at without
  std::span<std::byte> memory_;
  mutable std::mutex mutex_;
  std::uint64_t latest_ = 0;
  std::map<std::uint64_t, std::unique_ptr<Block>> waiting_;  ///< messages that have not left, by number
  std::map<std::size_t, std::size_t> used_;                  ///< of the memory: offset and length
  List<Flush> flushes_;
};

}  // namespace bowline::proto

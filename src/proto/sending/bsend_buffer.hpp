// SPDX-License-Identifier: BSD-3-Clause
// BsendBuffer: the memory into which buffered sends are copied (MPI-5.0, section 3.6). The user attaches it, or lets
// the library allocate it (MPI_BUFFER_AUTOMATIC).
//
// A message takes the first gap that is long enough, and returns it when the message has been sent. The library's
// bookkeeping lies outside the buffer, so a buffer holds at least what MPI promises for its size. Several lanes use a
// buffer, so it has a lock of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "base/atomic.hpp"
#include "proto/engine.hpp"

namespace bowline::proto {

class BsendBuffer {
 public:
  BsendBuffer();
  ~BsendBuffer();
  BsendBuffer(const BsendBuffer&) = delete;
  BsendBuffer& operator=(const BsendBuffer&) = delete;

  bool attached() const noexcept { return kind_.load(std::memory_order_acquire) != Storage::none; }
  bool automatic() const noexcept { return kind_.load(std::memory_order_acquire) == Storage::automatic; }

  // Both functions throw Error (MPI_ERR_BUFFER) if a buffer is attached already.
  void attach(std::span<std::byte> memory);
  void attach_automatic();
  struct Detached {
    bool automatic;
    std::span<std::byte> memory;  ///< of the user; empty for an automatic buffer
  };
  /// Detaches the buffer if no message is in it; otherwise nothing changes. Throws Error (MPI_ERR_BUFFER) if no buffer
  /// is attached.
  std::optional<Detached> try_detach();

  /// Sends a copy of the message. Throws Error (MPI_ERR_BUFFER) if there is no room for it.
  void send(Engine& engine, int to, transport::Header header, const Buffer& message);

  /// The number of the latest message. left() returns whether all messages up to a number have been sent.
  std::uint64_t latest() const noexcept;
  bool left(std::uint64_t number) const noexcept;

  /// A request that completes when all messages of the buffer that were sent before this call have left. `context`
  /// identifies the communicator whose error handler is called.
  Request& flush_request(std::uint32_t context);

 private:
  enum class Storage : std::uint8_t { none, memory, automatic };
  class Block;
  class Flush;

  void attach(Storage kind, std::span<std::byte> memory);
  Block& reserve(std::size_t bytes);
  void give_back(Block& block) noexcept;
  bool left_locked(std::uint64_t number) const noexcept;

  Atomic<Storage> kind_{Storage::none};  ///< written under the lock, read without it
  std::span<std::byte> memory_;
  mutable std::mutex mutex_;
  std::uint64_t latest_ = 0;
  std::map<std::uint64_t, std::unique_ptr<Block>> waiting_;  ///< messages that have not left, by number
  std::map<std::size_t, std::size_t> used_;                  ///< pieces of the memory: offset and length, in bytes
  List<Flush> flushes_;
};

}  // namespace bowline::proto

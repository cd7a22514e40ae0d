// SPDX-License-Identifier: BSD-3-Clause
// Pending operations: those that UCX has begun and not completed. Each has an object with the memory that UCX uses
// until completion.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

#include "transport/transport.hpp"
#include "ucx/library.hpp"
#include "ucx/ucx_wire.hpp"

namespace bowline::ucx {

class UcxEndpoint;

/// A send, or an access to a peer's memory.
struct PendingOperation {
  UcxEndpoint* endpoint = nullptr;
  transport::Operation* operation = nullptr;  ///< notified of the completion, unless nullptr
  ucp_rkey_h key = nullptr;                   ///< the peer's key, for an access to its memory
  ucs_status_t status = UCS_OK;               ///< the result, once it has completed
  bool accesses = false;                      ///< it accesses the peer's memory
  // Members of an atomic operation on a peer's memory:
  std::uint64_t operand = 0;
  std::uint64_t reply = 0;   ///< the former value, once the operation has completed
  void* reply_to = nullptr;  ///< where the former value is wanted
  std::size_t reply_bytes = 0;
  std::array<std::byte, sizeof(WireHeader) + max_prefix> header;
  std::array<ucp_dt_iov_t, max_iov> runs;  ///< iov list of a body with holes, in use until completion
  std::unique_ptr<std::byte[]> body;       ///< buffer for a copy of the body; allocated at first use
};

class PendingPool {
 public:
  explicit PendingPool(const Library& ucx) noexcept : ucx_(ucx) {}
  PendingPool(const PendingPool&) = delete;
  PendingPool& operator=(const PendingPool&) = delete;

  /// Returns an object for an operation that UCX is about to begin; nullptr if there is no memory.
  PendingOperation* take(UcxEndpoint& endpoint) noexcept;
  /// Like take(), with a buffer of `bytes` bytes for the body; `bytes` must be equal in all calls. Also returns nullptr
  /// if all buffers are in use.
  PendingOperation* take_with_body(UcxEndpoint& endpoint, std::size_t bytes) noexcept;
  void give_back(PendingOperation& pending) noexcept;
  std::size_t under_way() const noexcept { return under_way_; }
  /// The operation accesses the peer's memory.
  void note_access(PendingOperation& pending) noexcept {
    pending.accesses = true;
    ++accesses_;
  }
  /// Whether such operations are under way.
  bool accesses() const noexcept { return accesses_ > 0; }

  /// Records that UCX has completed the operation. UCX may call back from within any of its functions, so the
  /// consequences wait until take_ended().
  void note_end(PendingOperation& pending) noexcept { ended_.push_back(&pending); }
  /// Stores the reply of an atomic operation that has completed.
  static void store_reply(const PendingOperation& pending) noexcept {
    if (pending.reply_to != nullptr) std::memcpy(pending.reply_to, &pending.reply, pending.reply_bytes);
  }
  bool has_ended() const noexcept { return !ended_.empty(); }
  PendingOperation& take_ended() noexcept;

 private:
  const Library& ucx_;
  std::deque<PendingOperation> all_;
  std::vector<PendingOperation*> free_;         ///< without a buffer
  std::vector<PendingOperation*> free_bodies_;  ///< with a buffer
  std::vector<PendingOperation*> ended_;        ///< completed, and not yet taken
  std::size_t bodies_ = 0;                      ///< number of buffers
  std::size_t under_way_ = 0;
  std::size_t accesses_ = 0;
};

}  // namespace bowline::ucx

// SPDX-License-Identifier: BSD-3-Clause
// What UCX has begun and not ended: a place for each, in which its parts lie meanwhile.
#pragma once

#include <array>
#include <cstddef>
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
  transport::Operation* operation = nullptr;  ///< hears of the end, if there is one
  ucp_rkey_h key = nullptr;                   ///< of an access
  ucs_status_t status = UCS_OK;               ///< how it ended
  std::array<std::byte, sizeof(WireHeader) + max_prefix> header;
  std::array<ucp_dt_iov_t, max_iov> runs;  ///< of a body with holes; UCX reads them until it has ended
  std::unique_ptr<std::byte[]> body;       ///< room for a copy, made when it is first needed
};

class PendingPool {
 public:
  explicit PendingPool(const Library& ucx) noexcept : ucx_(ucx) {}
  PendingPool(const PendingPool&) = delete;
  PendingPool& operator=(const PendingPool&) = delete;

  /// A place for something that UCX begins; nullptr if there is no memory.
  PendingOperation* take(UcxEndpoint& endpoint) noexcept;
  /// The same, with room for a body of so many bytes; nullptr also if all buffers are taken.
  PendingOperation* take_with_body(UcxEndpoint& endpoint, std::size_t bytes) noexcept;
  void give_back(PendingOperation& begun) noexcept;
  std::size_t under_way() const noexcept { return under_way_; }

  /// What follows from the end of something waits until it is asked for: UCX may tell of it wherever it is.
  void note_end(PendingOperation& begun) noexcept { ended_.push_back(&begun); }
  bool has_ended() const noexcept { return !ended_.empty(); }
  PendingOperation& take_ended() noexcept;

 private:
  const Library& ucx_;
  std::deque<PendingOperation> all_;
  std::vector<PendingOperation*> free_;         ///< without a body
  std::vector<PendingOperation*> free_bodies_;  ///< with one
  std::vector<PendingOperation*> ended_;        ///< not asked for yet
  std::size_t bodies_ = 0;                      ///< how many have a body
  std::size_t under_way_ = 0;
};

}  // namespace bowline::ucx

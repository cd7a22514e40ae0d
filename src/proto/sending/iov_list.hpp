// SPDX-License-Identifier: BSD-3-Clause
// IovList: bytes of a message as the iov list of the sender's memory where they lie, for transports that send without a
// copy; and the rule for when that pays.
//
// Data without holes are one entry, and are always sent without a copy if the transport can do so. Data with holes are
// sent without a copy if few blocks contain much data; otherwise they are packed:
// - A message, or the rest of one, of up to `longest_packed` bytes is packed, whatever its blocks. The transport takes
//   it in one call, without a request, which costs less than UCX's handling of a list (docs/performance.md).
// - A longer eager message is sent as a list if all its blocks fit into one list.
// - A piece of a long message is sent as a list if the list contains at least as many bytes as a packed piece.
#pragma once

#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "proto/request.hpp"
#include "transport/transport.hpp"

namespace bowline::proto {

/// Bytes of the longest message that is packed on the stack.
inline constexpr std::size_t longest_packed = 8 << 10;

class IovList {
 public:
  /// The next bytes of the send, after the first `sent` bytes: as many as an endpoint with these limits takes at once.
  /// Empty if it takes none, or if the data have holes and a list would contain fewer than `worth` bytes.
  IovList(const SendRequest& send, const transport::Limits& limits, std::size_t worth) noexcept
      : bytes_(std::min(limits.max_posted, send.bytes - send.sent)) {
    if (send.data == nullptr) {
      list_blocks(send, limits.max_iov, worth);
    } else {
      list_[0] = {const_cast<std::byte*>(send.data + send.sent), bytes_};
      count_ = bytes_ > 0 ? 1 : 0;
    }
  }

  bool none() const noexcept { return count_ == 0; }
  std::span<const iovec> list() const noexcept { return {list_.data(), count_}; }
  std::size_t bytes() const noexcept { return bytes_; }

 private:
  void list_blocks(const SendRequest& send, std::size_t most, std::size_t worth) noexcept;

  std::array<iovec, transport::most_iov> list_;  ///< the first `count_` are set
  std::size_t count_ = 0;
  std::size_t bytes_;
};

}  // namespace bowline::proto

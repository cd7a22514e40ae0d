// SPDX-License-Identifier: BSD-3-Clause
// IovList: bytes of a message as the list of places in the sender's memory where they lie, for transports that send
// them from there; and when that pays.
//
// Data without holes are one run, which is always sent from where it lies if the transport can do so. Data with holes
// are sent that way if few blocks make up much; else they are copied together first:
// - A message, or the rest of one, of up to `longest_packed` bytes is packed, whatever its blocks: the transport takes
//   it in one call, without a request. That costs less than what UCX does for a list (docs/performance.md).
// - A longer one that is sent unasked goes as a list if all its blocks fit into one.
// - A piece of a long one goes as a list if that holds at least as much as a packed piece.
#pragma once

#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "proto/request.hpp"
#include "transport/transport.hpp"

namespace bowline::proto {

/// In bytes. A message that is no longer is packed on the stack.
inline constexpr std::size_t longest_packed = 8 << 10;

class IovList {
 public:
  /// The next bytes of the send, behind the `sent` ones: as many as the endpoint with these limits takes at once. None
  /// if it takes none, or they have holes and a list would hold less than `worth`.
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

  std::array<iovec, transport::most_iov> list_;  ///< `count_` of them have a value
  std::size_t count_ = 0;
  std::size_t bytes_;
};

}  // namespace bowline::proto

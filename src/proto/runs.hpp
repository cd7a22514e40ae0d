// SPDX-License-Identifier: BSD-3-Clause
// Runs: bytes of a message as the list of places in the sender's memory where they lie, for transports that send them
// from there; and when that pays.
//
// Data without holes are one run, which is always sent from where it lies if the transport can do so. Data with holes
// are sent that way if few blocks make up much; else they are copied together first:
// - A message of up to `longest_packed` bytes is packed, whatever its blocks: the transport takes it in one call, without
//   a request. That costs less than what UCX does for a list (docs/performance.md).
// - A longer one that is sent unasked goes as a list if all its blocks fit into one.
// - A piece of a long one goes as a list if that holds at least as much as a packed piece.
#pragma once

#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <span>

#include "transport/transport.hpp"

namespace bowline::proto {

class SendRequest;

/// Longest message with holes that is packed whatever its blocks, in bytes. It is packed on the stack.
inline constexpr std::size_t longest_packed = 8 << 10;

class Runs {
 public:
  /// The next bytes of the send, behind the `sent` ones: as many as the endpoint with these limits takes at once.
  Runs(const SendRequest& send, const transport::Limits& limits) noexcept;

  std::span<const iovec> list() const noexcept { return {list_.data(), count_}; }
  std::size_t bytes() const noexcept { return bytes_; }

 private:
  std::array<iovec, transport::most_runs> list_;  ///< `count_` of them have a value
  std::size_t count_;
  std::size_t bytes_;
};

}  // namespace bowline::proto

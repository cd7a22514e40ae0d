// SPDX-License-Identifier: BSD-3-Clause
// The format of messages over UCX.
#pragma once

#include <cstddef>
#include <cstdint>

#include "transport/transport.hpp"
#include "transport/version.hpp"

namespace bowline::ucx {

/// The header of every message; the protocol's prefix follows it. If UCX takes a message at once and its body is short,
/// header, prefix and body are UCX's data, and there is no UCX header, which costs least. Otherwise header and prefix
/// are UCX's header, and the body is UCX's data.
struct WireHeader {
  std::int32_t sender;     ///< the index by which the receiver knows the sender
  std::uint32_t sequence;  ///< counts the messages from this sender to this receiver; UCX promises no order
  std::uint8_t version;    ///< up to here the header is equal in all versions (transport/version.hpp)
  std::uint8_t prefix_bytes;
  std::uint16_t unused;
  transport::Header message;
};
static_assert(sizeof(WireHeader) == 28 && transport::wire_version < 256);

inline constexpr std::size_t short_body = 256;  ///< longest body that is sent together with its header
inline constexpr std::size_t max_prefix = 64;
inline constexpr unsigned message_id = 0;  ///< of all our active messages
/// Most blocks of one message. UCX takes 16 iov entries at once, one of which is Bowline's header (UCP_MAX_IOV in
/// ucp_ep.h).
inline constexpr std::size_t max_iov = 15;
static_assert(max_iov <= transport::most_iov);

}  // namespace bowline::ucx

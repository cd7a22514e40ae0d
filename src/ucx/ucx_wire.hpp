// SPDX-License-Identifier: BSD-3-Clause
// What messages look like on their way by UCX.
#pragma once

#include <cstddef>
#include <cstdint>

#include "transport/transport.hpp"
#include "transport/version.hpp"

namespace bowline::ucx {

/// What stands before a message on the wire. The protocol's prefix follows it. Short messages are all in UCX's data,
/// without a header of UCX, which costs least. Else UCX's header ends with the prefix, and its data are the body.
struct WireHeader {
  std::int32_t sender;     ///< world rank
  std::uint32_t sequence;  ///< counts the messages from this sender to this receiver; UCX promises no order
  std::uint8_t version;    ///< up to here it is the same in all of them (transport/version.hpp)
  std::uint8_t prefix_bytes;
  std::uint16_t unused;
  transport::Header message;
};
static_assert(sizeof(WireHeader) == 28 && transport::wire_version < 256);

inline constexpr std::size_t short_body = 256;  ///< the longest that goes together with its header
inline constexpr std::size_t max_prefix = 64;
inline constexpr unsigned message_id = 0;  ///< of all our active messages
/// Blocks of one message. UCX sends 16 entries at once, of which our header takes one (UCP_MAX_IOV in ucp_ep.h).
inline constexpr std::size_t max_iov = 15;
static_assert(max_iov <= transport::most_iov);

}  // namespace bowline::ucx

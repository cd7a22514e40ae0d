// SPDX-License-Identifier: BSD-3-Clause
// The format of messages between queue pairs, and of the handshakes by which queue pairs are connected.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "transport/transport.hpp"
#include "transport/version.hpp"

namespace bowline::verbs {

enum class WireKind : std::uint8_t {
  message,  ///< for the sink; uses a credit
  credits,  ///< only carries `granted`
  bye,      ///< the last message of a process that ends properly
};

/// The header of every message; prefix and body follow it.
struct WireHeader {
  std::uint32_t link;      ///< number that the receiver has given to the connection
  std::uint32_t sequence;  ///< of a message: counts the messages from this sender to this receiver
  std::uint32_t granted;   ///< the receiver of this header may send messages with lower sequence numbers
  WireKind kind;
  std::uint8_t prefix_bytes;
  std::uint16_t unused;
  transport::Header message;
};
static_assert(sizeof(WireHeader) == 32);

/// The start of every handshake; equal in all versions.
struct HandshakeFront {
  std::uint32_t magic = 0x42765262;
  std::uint32_t version = transport::wire_version;
  std::uint64_t cookie = 0;  ///< that the receiving device has published: only processes of the job know it
};

/// What two processes must know of each other's queue pair. The published address of the sender follows.
struct Handshake {
  HandshakeFront front;
  std::int32_t sender = -1;        ///< the index by which the receiver knows the sender
  std::uint32_t link = 0;          ///< number to be written into the header of messages to the sender of the handshake
  std::uint32_t queue_pair = 0;    ///< its number
  std::uint32_t first_packet = 0;  ///< packet sequence number with which the queue pair starts
  std::uint32_t epoch = 0;         ///< counts the queue pairs that this connection has had
  std::uint32_t received = 0;      ///< messages that the sender of the handshake has received
  std::uint32_t granted = 0;       ///< as in WireHeader
  std::uint16_t lid = 0;           ///< of the port, on InfiniBand
  std::uint8_t mtu = 0;            ///< ibv_mtu
  std::uint8_t reads = 0;          ///< RDMA reads and atomic operations that the sender's adapter executes at once
  std::array<std::uint8_t, 16> gid{};
  std::uint16_t address_bytes = 0;
  std::uint16_t unused = 0;
  /// On iWARP: the key and the address of eight bytes that the peer may read (ArrivalProof).
  std::uint32_t probe_key = 0;
  std::uint64_t probe_address = 0;
};
static_assert(sizeof(Handshake) == 16 + 7 * 4 + 4 + 16 + 16);

enum class Answer : std::uint32_t {
  handshake,      ///< a Handshake follows; the queue pair of its sender can receive
  not_yet,        ///< try again: the sender of the answer does not know the initiator yet
  other_version,  ///< nothing follows but the HandshakeFront
  over,           ///< the sender of the answer does not take up the connection any more: it has lost the initiator
};

}  // namespace bowline::verbs

// SPDX-License-Identifier: BSD-3-Clause
// A librdmacm for the simulated fabric: its identifiers, and the packets that they send to each other.
//
// An event channel is a datagram socket with a number, which is the port of the identifiers in it. What the manager of
// another process sends, and what this process's manager has to report, are packets in it.
#pragma once

#include <rdma/rdma_cma.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "support/fabric/misuse.hpp"

namespace fabric {

enum class PacketKind : std::uint8_t { event, request, reply, ready, reject, disconnect };

inline constexpr std::size_t most_private = 56;  ///< bytes, as on InfiniBand

struct Packet {
  PacketKind kind;
  rdma_cm_event_type event;  ///< to be reported; the following two also
  int status;
  std::uint16_t from_channel;
  std::uint64_t from;  ///< identifier; 0 for none
  std::uint64_t to;    ///< identifier; 0 for the listening one
  std::uint32_t queue_pair;
  std::uint32_t first_packet;
  std::uint8_t reads;
  std::uint8_t traffic_class;  ///< of both directions
  ibv_gid gid;
  std::uint8_t private_bytes;
  std::array<std::byte, most_private> private_data;
};

struct EventChannel : rdma_event_channel {
  std::uint16_t number;
  int identifiers = 0;
};

struct Identifier : rdma_cm_id {
  std::uint64_t number;
  bool listens = false;
  int unacknowledged = 0;         ///< events
  std::uint16_t destination = 0;  ///< channel of the peer
  std::uint64_t peer = 0;         ///< its identifier
  std::uint32_t first_packet = 0;
  std::uint8_t traffic_class = 0;
  Packet theirs{};  ///< the request or the reply
  bool connected = false;
};

EventChannel& channel_of(const Identifier& id);

/// Sends a packet from the identifier to that channel. False, and errno, if nobody has it.
bool send_packet(const Identifier& id, std::uint16_t channel, Packet packet);
/// Reports an event to the identifier's own channel.
void report(const Identifier& id, rdma_cm_event_type event, int status = 0);

/// By its number; nullptr if it was destroyed.
Identifier* find_identifier(std::uint64_t number);
Identifier* find_listener(const EventChannel& channel);
/// A new one of that channel.
Identifier& add_identifier(EventChannel& channel, void* context);
void forget_identifier(Identifier& id);

/// Takes the queue pair to the state in which it sends, with what the peer has told. Returns an errno.
int connect_pair(Identifier& id);
/// What the peer must know of the identifier's queue pair.
void describe_pair(const Identifier& id, Packet& packet);

}  // namespace fabric

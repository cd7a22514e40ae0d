// SPDX-License-Identifier: BSD-3-Clause
// What the engine tells listeners (base/events/event.hpp): messages and their receives, protocols, transfers, waits,
// and other processes. Processes are named by their rank in MPI_COMM_WORLD, those of other jobs by numbers behind the
// last rank. A context is the number by which the messages of a communicator carry it; collectives use another one than
// the program's messages.
#pragma once

#include <cstdint>

#include "base/events/event.hpp"
#include "proto/matching/match.hpp"
#include "proto/request.hpp"
#include "proto/wire.hpp"

namespace bowline::proto {

class Engine;
class Peer;
class Protocol;

struct MessageEvent {
  std::uint64_t context;
  std::uint64_t bytes;
  std::int32_t source;
  std::int32_t tag;
};

struct MatchEvent {
  std::uint64_t context;
  std::uint64_t bytes;
  std::int32_t source;
  std::int32_t tag;
  std::int32_t first;
};

struct ProtocolEvent {
  std::uint64_t context;
  std::uint64_t bytes;
  std::int32_t process;
  std::int32_t tag;
  std::int32_t protocol;
  std::int32_t side;  ///< 0: this process sends the message; 1: it receives it
};

struct WaitEvent {
  std::uint64_t context;
  std::int32_t process;
};

struct WaitEndEvent {
  std::uint64_t context;
  std::uint64_t nanoseconds;
  std::int32_t process;
};

struct ProcessEvent {
  std::int32_t process;
};

extern Event<MessageEvent> message_unexpected;
extern Event<MatchEvent> message_matched;
extern Event<ProtocolEvent> protocol_chosen;
extern Event<MessageEvent> rendezvous_begun;
extern Event<MessageEvent> rendezvous_ended;
extern Event<WaitEvent> wait_begun;
extern Event<WaitEndEvent> wait_ended;
extern Event<ProcessEvent> first_contact;
extern Event<ProcessEvent> peer_lost;

/// Those that happen to each message: while somebody listens, no message may take the ways on which nothing is told.
inline constinit EventGroup message_events;

// Each tells the event if somebody listens.

void tell_unexpected(const Unexpected& message) noexcept;
/// A message has met a receive that was posted before. `awaited`: a call sleeps in this lane.
void tell_posted_match(transport::Header header, std::size_t bytes, bool awaited) noexcept;
/// A receive has met a message that had arrived before.
void tell_unexpected_match(const Unexpected& message) noexcept;
enum class Side : std::int32_t { sender, receiver };
/// `protocol` serves the message: chosen by the sender, or for an announced message by the receiver. `side`: what this
/// process is.
void tell_protocol(const Peer& peer, transport::Header header, std::size_t bytes, const Protocol& protocol,
                   Side side) noexcept;
/// The sender announces the message.
void tell_announced(const Peer& peer, transport::Header header, std::size_t bytes) noexcept;
void tell_rendezvous(const Event<MessageEvent>& event, const ReceiveRequest& receive) noexcept;

}  // namespace bowline::proto

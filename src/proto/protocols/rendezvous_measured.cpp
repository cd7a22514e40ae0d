// SPDX-License-Identifier: BSD-3-Clause
// Long messages from this node: the receiver has them transferred in the way that is known to be the fastest, or tries
// another one (ways/ways.hpp). Of a very long message a part is tried, and the rest goes the way in use.
#include "proto/engine.hpp"
#include "proto/protocols/rendezvous.hpp"

namespace bowline::proto {

/// Starts the transfer in a way. If that is refused, the message goes in short pieces, which need nothing but messages.
/// Throws std::bad_alloc.
void Rendezvous::begin_in(Way way, ReceiveRequest& receive, const RendezvousProtocol::Offered& message) {
  if (!protocol_of(way).begin(engine_, receive, message)) {
    ways_.refused(message.peer, receive, way);
    way = Way::short_pieces;
    rendezvous_pipeline.begin(engine_, receive, message);
  }
  if (way == Way::attach) ways_.ended(message.peer, receive);
  count_message(way);
}

void Rendezvous::begin_measured(ReceiveRequest& receive, const RendezvousProtocol::Offered& message) {
  const bool holes = receive.target == nullptr || message.offer.address == 0;
  const bool in_row = (message.header.flags & in_row_flag) != 0;
  const std::size_t bytes = holes ? 0 : receive.expected;
  const Ways::Begin begin = ways_.begin(message.peer, receive, bytes, in_row);
  if (begin.bytes == bytes) {
    begin_in(begin.way, receive, message);
    // Of a row, both sides copy half of each message, but not of the same one at the same time. So a message costs the
    // time in which this side has copied its half; when it is complete says little.
    if (in_row && begin.way == Way::attach_both) message.peer.ways->rest = ways_.part_ended(message.peer, receive);
    return;
  }
  if (begin.way == Way::attach) return begin_in(read_part(receive, message, begin), receive, message);
  PeerWays::Rest& rest = message.peer.ways->rest;
  rest = {&receive, message.header, message.offer, bytes, begin.rest};
  receive.expected = begin.bytes;
  if (protocol_of(begin.way).begin(engine_, receive, message)) return;
  rest = {};
  receive.expected = bytes;
  ways_.refused(message.peer, receive, begin.way);
  begin_in(begin.rest, receive, message);
}

/// Reads the first part of the message from the sender's memory. Returns the way of what is left.
Way Rendezvous::read_part(ReceiveRequest& receive, const RendezvousProtocol::Offered& message,
                          const Ways::Begin& begin) {
  NoOperation nothing;
  const transport::Remote source{message.offer.address, {}};
  if (message.peer.endpoint->get(source, {receive.target, begin.bytes}, nothing) != transport::Access::done) {
    ways_.refused(message.peer, receive, begin.way);
    return begin.rest;
  }
  receive.received = begin.bytes;
  ways_.part_ended(message.peer, receive);
  return begin.rest;
}

/// Starts the transfer of the rest of a message whose first part has arrived.
void Rendezvous::begin_rest(ReceiveRequest& receive) noexcept {
  Peer& peer = *receive.sender;
  const PeerWays::Rest rest = ways_.part_ended(peer, receive);
  const RendezvousProtocol::Offered message{peer, rest.header, rest.offer, {}};
  expect_no_more(receive);
  receive.expected = rest.bytes;
  try {
    begin_in(rest.way, receive, message);
  } catch (...) {  // no memory
    receive.fail(Failure::current());
    ways_.ended(peer, receive);
    fetched(receive, peer, rest.header, rest.offer.send_id);
  }
}

}  // namespace bowline::proto

// SPDX-License-Identifier: BSD-3-Clause
// Long messages from this node: the receiver has them transferred by the path that is known to be the fastest, or tries
// another one (paths/path_chooser.hpp). Of a very long message a part is tried, and the rest takes the path in use.
#include "proto/engine.hpp"
#include "proto/protocols/rendezvous.hpp"
#include "proto/timers.hpp"

namespace bowline::proto {

/// Starts the transfer by a path. If that is refused, the message goes in short pieces, which need nothing but
/// messages. Throws std::bad_alloc.
void Rendezvous::begin_in(Path path, ReceiveRequest& receive, const RendezvousProtocol::Offered& message) {
  if (!begin_by(protocol_of(path), receive, message)) {
    paths_.refused(message.peer, receive, path);
    path = Path::short_pieces;
    begin_by(rendezvous_pipeline, receive, message);
  }
  if (path == Path::single_copy) paths_.ended(message.peer, receive);
  count_message(path);
}

void Rendezvous::begin_measured(ReceiveRequest& receive, const RendezvousProtocol::Offered& message) {
  const bool holes = receive.target == nullptr || message.offer.address == 0;
  const bool in_row = (message.header.flags[0] & in_row_flag) != 0;
  const std::size_t bytes = holes ? 0 : receive.expected;
  const PathChooser::Begin begin = paths_.begin(message.peer, receive, bytes, in_row);
  // Among other messages both sides copy half of each message, but not of the same message at the same time. So a
  // message costs the time in which this side has copied its half; the time of its completion says little.
  const bool own_half_counts = begin.path == Path::single_copy_by_both && (in_row || begin.rhythm == Rhythm::exchange);
  if (begin.bytes == bytes) {
    begin_in(begin.path, receive, message);
    if (own_half_counts) paths_.half_ended(message.peer, receive);
    return;
  }
  if (begin.path == Path::single_copy) return begin_in(read_part(receive, message, begin), receive, message);
  PeerPaths::Rest& rest = message.peer.paths->rest;
  rest = {&receive, message.header, message.offer, bytes, begin.rest};
  receive.expected = begin.bytes;
  if (begin_by(protocol_of(begin.path), receive, message)) {
    if (own_half_counts) paths_.half_ended(message.peer, receive);
    return;
  }
  rest = {};
  receive.expected = bytes;
  paths_.refused(message.peer, receive, begin.path);
  begin_in(begin.rest, receive, message);
}

/// Reads the first part of the message from the sender's memory. Returns the path of what is left.
Path Rendezvous::read_part(ReceiveRequest& receive, const RendezvousProtocol::Offered& message,
                           const PathChooser::Begin& begin) {
  const SwitchedTimer::Section timed(copying);
  NoOperation nothing;
  const transport::Remote source{message.offer.address, {}};
  if (message.peer.endpoint->get(source, {receive.target, begin.bytes}, nothing) != transport::Access::done) {
    paths_.refused(message.peer, receive, begin.path);
    return begin.rest;
  }
  receive.received = begin.bytes;
  paths_.part_ended(message.peer, receive);
  return begin.rest;
}

/// Starts the transfer of the rest of a message whose first part has arrived.
void Rendezvous::begin_rest(ReceiveRequest& receive) noexcept {
  Peer& peer = *receive.sender;
  const PeerPaths::Rest rest = paths_.part_ended(peer, receive);
  const RendezvousProtocol::Offered message{peer, rest.header, rest.offer, {}};
  expect_no_more(receive);
  receive.expected = rest.bytes;
  try {
    begin_in(rest.path, receive, message);
  } catch (...) {  // no memory
    receive.fail(Failure::current());
    paths_.ended(peer, receive);
    fetched(receive, peer, rest.header, rest.offer.send_id);
  }
}

}  // namespace bowline::proto

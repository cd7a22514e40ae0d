// SPDX-License-Identifier: BSD-3-Clause
// The receiver of a long message: chooses how the data are transferred, and takes what arrives of them.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "dtype/cursor.hpp"
#include "proto/engine.hpp"
#include "proto/protocols/rendezvous.hpp"
#include "proto/timers.hpp"

namespace bowline::proto {

void Rendezvous::offer_arrived(const Arrival& message) {
  const auto offer = message.read<ReadyToSend>();
  check_offered(message, offer.send_id, offer.bytes);
  engine_.peer(message.origin);  // connects for the answer now, when an error changes nothing yet
  Matching& queues = engine_.matching();
  FlowControl& flow = engine_.flow();
  MatchQueue& messages = queues.queue_of_arrival(message.origin, message.header.context);
  if (ReceiveRequest* const receive = queues.take_posted(messages, message.header, offer.bytes)) {
    if (flow.throttles()) flow.note_arrival(message.origin, message.header);
    return accept_offer(*receive, message.origin, message.header, offer, message.body);
  }
  Unexpected& kept = queues.keep(message.origin, message.header, message.body);
  if (flow.throttles()) flow.note_arrival(message.origin, message.header);
  kept.offer = offer;
  kept.bytes = offer.bytes;
  queues.add_unexpected(kept, messages);
}

void Rendezvous::accept_offer(ReceiveRequest& receive, int origin, transport::Header header, const ReadyToSend& offer,
                              std::span<const std::byte> key) noexcept {
  receive.expected = std::min<std::size_t>(offer.bytes, receive.buffer.bytes());
  receive.received = 0;
  receive.status = {.source = header.source, .tag = header.tag, .mark = header.mark, .bytes = offer.bytes};
  Matching::compare_types(receive, header);
  Peer& peer = *engine_.peers().known(origin);  // the peer is known, because the message has arrived from it
  if (peer.broken != nullptr) {
    receive.fail(peer.broken);
    return engine_.matching().end(receive);
  }
  try {
    const RendezvousProtocol::Offered message{peer, header, offer, key};
    receive.target = receive.buffer.run();
    if (rendezvous_begun.heard()) tell_rendezvous(rendezvous_begun, receive);
    if (receive.expected == 0) return fetched(receive, peer, header, offer.send_id);
    if (peer.endpoint->limits().measured) return begin_measured(receive, message);
    for (const Plan::Choice& choice : peer.plan.in_order()) {
      if (choice.serves(receive.expected) && begin_by(*choice.protocol, receive, message)) return;
    }
  } catch (...) {
    receive.fail(Failure::current());
    deregister(receive, *peer.endpoint);
    paths_.ended(peer, receive);
    fetched(receive, peer, header, offer.send_id);
  }
}

/// RendezvousProtocol::begin(). Told before, because the transfer may have ended afterwards.
bool Rendezvous::begin_by(const RendezvousProtocol& protocol, ReceiveRequest& receive,
                          const RendezvousProtocol::Offered& message) {
  if (protocol_chosen.heard()) tell_protocol(message.peer, message.header, receive.expected, protocol, Side::receiver);
  return protocol.begin(engine_, receive, message);
}

void Rendezvous::fetched(ReceiveRequest& receive, Peer& peer, transport::Header header,
                         std::uint64_t send_id) noexcept {
  tell(peer, Kind::finished, header, as_prefix(SendId{.send_id = send_id}));
  received(receive);
}

/// Copies a piece into the receive buffer. `offset`: of its first byte in the message.
static void store_piece(ReceiveRequest& receive, std::uint64_t offset, std::span<const std::byte> piece) {
  const SwitchedTimer::Section timed(copying);
  if (receive.target != nullptr) {
    std::memcpy(receive.target + offset, piece.data(), piece.size());
  } else {
    dtype::Cursor cursor(*receive.buffer.type, receive.buffer.count, receive.buffer.base);
    cursor.seek(offset);
    cursor.unpack(piece);
  }
}

void Rendezvous::data_arrived(const Arrival& message) {
  const auto piece = message.read<Data>();
  const std::span<const std::byte> body = message.body;
  ReceiveRequest& receive = named_receive(engine_, message, piece.receive_id);
  // Pieces come in order, as the sender has sent them.
  if (receive.key != nullptr) throw message.wrong("it is a piece of a message that was not asked for in pieces");
  if (piece.offset != receive.received || body.empty() || body.size() > receive.expected - receive.received) {
    throw message.wrong(fmt::format("it holds {} bytes from {} on, where {} bytes of {} have come", body.size(),
                                    piece.offset, receive.received, receive.expected));
  }
  {
    const PathChooser::Section work(paths_, *receive.sender, receive);
    store_piece(receive, piece.offset, body);
  }
  receive.received += body.size();
  if (receive.received != receive.expected) return;
  PathChooser::has_rest(*receive.sender, receive) ? begin_rest(receive) : received(receive);
}

void Rendezvous::placed_arrived(const Arrival& message) {
  const auto placed = message.read<Placed>();
  ReceiveRequest& receive = named_receive(engine_, message, placed.receive_id);
  if (receive.key == nullptr) throw message.wrong("no memory was given to that rank to write to");
  // A sender that is asked to share the work writes the bytes that this process does not read itself.
  const std::size_t front = front_part(receive.expected);
  const bool shared = placed.written == receive.expected - front;
  if (placed.written != receive.expected && placed.written != 0 && !shared) {
    throw message.wrong(
        fmt::format("{} bytes are said to be written, not {} or none", placed.written, receive.expected));
  }
  Peer& sender = engine_.peer(message.origin);
  deregister(receive, *sender.endpoint);
  if (placed.written == receive.expected) return received(receive);
  if (shared && receive.received == front) {
    receive.received = receive.expected;
    if (PathChooser::has_rest(sender, receive)) return begin_rest(receive);
    return fetched(receive, sender, message.header, placed.send_id);
  }
  expect_no_more(receive);
  if (sender.endpoint->limits().measured) paths_.refused(sender, receive, Path::single_copy_by_both);
  request_pieces(receive, sender, message.header, placed.send_id);
}

void Rendezvous::request_pieces(ReceiveRequest& receive, Peer& sender, transport::Header header,
                                std::uint64_t send_id) noexcept {
  if (sender.broken != nullptr) {
    receive.fail(sender.broken);
    return engine_.matching().end(receive);
  }
  receive.received = 0;
  const RendezvousProtocol::Offered message{
      sender, header, {.address = 0, .bytes = receive.status.bytes, .send_id = send_id}, {}};
  try {
    begin_by(rendezvous_pipeline, receive, message);
  } catch (const std::bad_alloc&) {
    receive.fail(Failure::current());
    fetched(receive, sender, header, send_id);
  }
}

void Rendezvous::expect(ReceiveRequest& receive, Peer& sender) {
  engine_.requests().name(receive);
  receive.sender = &sender;
  sender.receiving.push_back(receive);
}

/// Invalidates the id of the receive.
void Rendezvous::expect_no_more(ReceiveRequest& receive) noexcept {
  List<ReceiveRequest, PostedKey>::remove(receive);
  engine_.requests().unname(receive);
}

void Rendezvous::fail_filled(ReceiveRequest& receive, Peer& sender, const Failure& why) noexcept {
  deregister(receive, *sender.endpoint);
  receive.fail(why);
  received(receive);
}

void Rendezvous::received(ReceiveRequest& receive) noexcept {
  if (rendezvous_ended.heard()) tell_rendezvous(rendezvous_ended, receive);
  if (receive.filled()) {
    paths_.ended(*receive.sender, receive);
    expect_no_more(receive);
  }
  engine_.matching().finish_receive(receive, receive.status);
}

}  // namespace bowline::proto

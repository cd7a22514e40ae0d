// SPDX-License-Identifier: BSD-3-Clause
// Long messages: the sender announces a message, and the receiver has the data transferred by the protocol that suits
// its endpoint best. A send completes when `finished` arrives, or when its last byte has been handed to the transport.
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <new>
#include <utility>

#include "base/counter.hpp"
#include "dtype/cursor.hpp"
#include "proto/checks.hpp"
#include "proto/engine.hpp"
#include "proto/iov_list.hpp"

namespace bowline::proto {
namespace {

// Length of pieces in bytes, unless the receiver asks for longer ones. Short enough that both sides copy at the same
// time and the data stay in the caches.
constexpr std::size_t short_piece = 16 << 10;

Counter listed_pieces{"listed_pieces", "pieces of long messages with holes sent without being packed"};
Counter packed_pieces{"packed_pieces", "pieces of long messages with holes packed before they were sent"};

}  // namespace

// ---- the sender

bool Engine::announce(SendRequest& send) {
  if (!has_id(send)) throw std::bad_alloc();
  const ReadyToSend offer{
      .address = reinterpret_cast<std::uint64_t>(send.data), .bytes = send.bytes, .send_id = send.id};
  transport::Endpoint& endpoint = *send.peer.endpoint;
  if (send.key == nullptr && send.data != nullptr && send.bytes > 0 && send.bytes >= endpoint.limits().get_from)
    register_memory(send);
  const std::span<const std::byte> key = send.key == nullptr ? std::span<const std::byte>() : *send.key;
  auto header = control_header(send.header, Kind::ready_to_send);
  if (!send.peer.unanswered.empty()) header.flags |= in_row_flag;
  if (can_put_blocks(send)) header.flags |= blocks_flag;
  if (endpoint.send(header, as_prefix(offer), key) == transport::Post::retry) return false;
  await_answer(send, SendRequest::Stage::announced);
  return true;
}

/// Gives the send an id, if it has none; false if there is no memory for it.
bool Engine::has_id(SendRequest& send) noexcept {
  if (send.id == no_id) send.id = named_sends_.add(send);
  return send.id != no_id;
}

/// Registers the data. Done once per message, even if the announcement waits for room repeatedly.
void Engine::register_memory(SendRequest& send) {
  send.key = std::make_unique<std::vector<std::byte>>();
  try {
    *send.key = send.peer.endpoint->register_memory({send.data, send.bytes});
  } catch (const Error&) {
    // Without a key the receiver chooses another protocol.
  }
}

/// Moves the send to the list of those that continue when the peer answers.
void Engine::await_answer(SendRequest& send, SendRequest::Stage stage) noexcept {
  List<SendRequest>::remove(send);
  send.stage = stage;
  send.peer.unanswered.push_back(send);
}

void Engine::clear_to_send_arrived(int origin, const ClearToSend& clear) {
  SendRequest& send = named_send(origin, Kind::clear_to_send, clear.send_id);
  check_asked(origin, Kind::clear_to_send, send, clear.bytes);
  if (clear.skip >= clear.bytes) {
    throw wrong_message(origin, Kind::clear_to_send,
                        fmt::format("it asks for {} bytes without the first {}", clear.bytes, clear.skip));
  }
  send.in_part = (clear.piece & part_flag) != 0;
  if (send.in_part && (send.data == nullptr || !send.peer.endpoint->limits().measured))
    throw wrong_message(origin, Kind::clear_to_send, "it asks for a part of a message that is sent as a whole");
  List<SendRequest>::remove(send);
  if (!send.in_part) named_sends_.remove(std::exchange(send.id, no_id));  // the receiver says nothing more about it
  send.header.kind = static_cast<std::uint8_t>(Kind::data);
  send.stage = SendRequest::Stage::streaming;
  send.receive_id = clear.receive_id;
  send.bytes = clear.bytes;
  send.piece = clear.piece & ~part_flag;
  send.sent = clear.skip;
  enqueue(send);
  // The next round of progress sends the pieces: a handler must not send for long.
}

/// The next bytes to be sent. A piece with holes is packed once, even if it waits for room repeatedly.
std::span<const std::byte> Engine::next_piece(SendRequest& send, std::size_t length) {
  if (send.data != nullptr) return {send.data + send.sent, length};
  // Later pieces are no longer than the first one.
  if (send.packed == nullptr) send.packed = std::make_unique_for_overwrite<std::byte[]>(length);
  if (send.packed_up_to <= send.sent) {
    dtype::Cursor cursor(*send.buffer.type, send.buffer.count, send.buffer.base);
    cursor.seek(send.sent);
    cursor.pack({send.packed.get(), length});
    send.packed_up_to = send.sent + length;
    packed_pieces.add();
  }
  return {send.packed.get(), length};
}

/// Sends the next piece. Sends it without a copy if the transport can do so and takes at least as much as a copied
/// piece.
transport::Post Engine::send_piece(SendRequest& send) {
  transport::Endpoint& endpoint = *send.peer.endpoint;
  const transport::Limits& limits = endpoint.limits();
  const Data place{.receive_id = send.receive_id, .offset = send.offset + send.sent};
  const std::size_t left = send.bytes - send.sent;
  if (send.piece > short_piece && left > short_piece && limits.long_body > 0 && send.data != nullptr) {
    const std::size_t length = std::min({std::size_t{send.piece}, limits.long_body, left});
    const std::size_t sent = endpoint.send_long(send.header, as_prefix(place), {send.data + send.sent, length});
    send.sent += sent;
    return sent == 0 ? transport::Post::retry : transport::Post::done;
  }
  const std::size_t copied = std::min({short_piece, limits.max_body - sizeof(Data), left});
  const IovList iov(send, limits, std::min(copied, limits.max_posted));
  if (iov.none()) {
    const transport::Post sent = endpoint.send(send.header, as_prefix(place), next_piece(send, copied));
    if (sent != transport::Post::retry) send.sent += copied;
    return sent;
  }
  if (send.in_flight == nullptr) send.in_flight = std::make_unique<InFlight>(*this, send);
  const transport::Post sent = endpoint.post(send.header, as_prefix(place), iov.list(), *send.in_flight);
  if (sent == transport::Post::retry) return sent;
  if (sent == transport::Post::begun) send.in_flight->add();
  if (send.data == nullptr) listed_pieces.add();
  send.sent += iov.bytes();
  return sent;
}

bool Engine::stream(SendRequest& send) {
  while (send.sent < send.bytes) {
    if (must_look() || send_piece(send) == transport::Post::retry) return false;
    ++sends_since_progress_;
    fruitless_flushes_ = 0;
  }
  if (send.in_part) {
    send.bytes = send.buffer.bytes();
    await_answer(send, SendRequest::Stage::announced);
    return true;
  }
  List<SendRequest>::remove(send);
  end_stream(send);
  return true;
}

/// Everything was handed to the transport, or the rest will not be sent. Completes the send if no piece is in flight.
void Engine::end_stream(SendRequest& send) noexcept {
  send.sent = send.bytes;
  if (send.in_flight == nullptr || send.in_flight->none()) complete(send);
}

void InFlight::ended(const Error* failure) noexcept {
  --pieces_;
  if (failure != nullptr) Engine::fail(send_, *failure);
  if (none() && send_.sent == send_.bytes) engine_.complete(send_);
}

/// Writes the back part of the message, which then waits for `finished`, or for another request if nothing was written.
void Engine::clear_to_share_arrived(int origin, transport::Header header, const ClearToPut& clear) {
  SendRequest& send = named_send(origin, Kind::clear_to_share, clear.send_id);
  check_asked(origin, Kind::clear_to_share, send, clear.bytes);
  if (send.data == nullptr) throw wrong_message(origin, Kind::clear_to_share, "it asks for a message that has holes");
  if (send.peer.endpoint->limits().attach_from == transport::never)
    throw wrong_message(origin, Kind::clear_to_share, "it gives no key for its memory");
  const std::size_t front = front_part(clear.bytes);
  const std::span<const std::byte> back(send.data + front, clear.bytes - front);
  bool written = false;
  try {
    NoOperation nothing;
    const auto access = send.peer.endpoint->put(back, {clear.address + front, {}}, nothing);
    written = access == transport::Access::done;
  } catch (const Error&) {
    // The receiver requests the message in pieces.
  }
  const Placed placed{.receive_id = clear.receive_id, .send_id = send.id, .written = written ? back.size() : 0};
  send_control(send.peer, control_header(header, Kind::placed), as_prefix(placed));
}

// ---- the receiver

void Engine::offer_arrived(int origin, transport::Header header, const ReadyToSend& offer,
                           std::span<const std::byte> key) {
  check_offered(origin, Kind::ready_to_send, offer.send_id, offer.bytes);
  peers_[origin];  // connects for the answer, as in synchronous_arrived()
  MatchQueue& messages = queue_of_arrival(origin, header.context);
  if (ReceiveRequest* receive = messages.posted.take(header)) {
    if (flow_.restrains()) flow_.note_arrival(origin, header);
    return accept_offer(*receive, origin, header, offer, key);
  }
  Unexpected& message = keep(origin, header, key);
  if (flow_.restrains()) flow_.note_arrival(origin, header);
  message.offer = offer;
  message.bytes = offer.bytes;
  add_unexpected(message, messages);
}

/// Starts the transfer of an announced message. An error fails the receive, because the message has been removed from
/// the queues. It also completes the send, which would otherwise never complete.
void Engine::accept_offer(ReceiveRequest& receive, int origin, transport::Header header, const ReadyToSend& offer,
                          std::span<const std::byte> key) noexcept {
  receive.expected = std::min<std::size_t>(offer.bytes, receive.buffer.bytes());
  receive.received = 0;
  receive.status = {.source = header.source, .tag = header.tag, .mark = header.mark, .bytes = offer.bytes};
  Peer& peer = *peers_.known(origin);  // it exists since the message has arrived
  if (peer.broken != nullptr) {
    fail(receive, peer.broken);
    return end(receive);
  }
  try {
    const RendezvousProtocol::Offered message{peer, header, offer, key};
    receive.target = receive.buffer.run();
    if (receive.expected == 0) return fetched(receive, peer, header, offer.send_id);
    if (peer.endpoint->limits().measured) return begin_measured(receive, message);
    for (const Plan::Choice& choice : peer.plan.in_order()) {
      if (choice.serves(receive.expected) && choice.protocol->begin(*this, receive, message)) return;
    }
  } catch (...) {
    fail(receive, Failure::current());
    deregister(receive, *peer.endpoint);
    ways_.ended(peer, receive);
    fetched(receive, peer, header, offer.send_id);
  }
}

void Engine::fetched(ReceiveRequest& receive, Peer& peer, transport::Header header, std::uint64_t send_id) noexcept {
  const SendId id{.send_id = send_id};
  send_control(peer, control_header(header, Kind::finished), as_prefix(id));
  long_message_received(receive);
}

void Engine::data_arrived(int origin, const Data& piece, std::span<const std::byte> body) {
  ReceiveRequest& receive = named_receive(origin, Kind::data, piece.receive_id);
  // Pieces come in order, as the sender has sent them.
  if (receive.key != nullptr || piece.offset != receive.received || body.empty() ||
      body.size() > receive.expected - receive.received) {
    throw wrong_message(origin, Kind::data,
                        receive.key != nullptr
                            ? "it is a piece of a message that was not asked for in pieces"
                            : fmt::format("it holds {} bytes from {} on, where {} bytes of {} have come", body.size(),
                                          piece.offset, receive.received, receive.expected));
  }
  if (receive.target != nullptr) {
    std::memcpy(receive.target + piece.offset, body.data(), body.size());
  } else {
    dtype::Cursor cursor(*receive.buffer.type, receive.buffer.count, receive.buffer.base);
    cursor.seek(piece.offset);
    cursor.unpack(body);
  }
  receive.received += body.size();
  if (receive.received != receive.expected) return;
  Ways::has_rest(*receive.sender, receive) ? begin_rest(receive) : long_message_received(receive);
}

void Engine::placed_arrived(int origin, transport::Header header, const Placed& placed) {
  ReceiveRequest& receive = named_receive(origin, Kind::placed, placed.receive_id);
  // Asked to share the work, the sender writes what this process does not read itself.
  const std::size_t front = front_part(receive.expected);
  const bool shared = receive.key != nullptr && placed.written == receive.expected - front;
  if (receive.key == nullptr || (placed.written != receive.expected && placed.written != 0 && !shared)) {
    throw wrong_message(origin, Kind::placed,
                        receive.key == nullptr ? "no memory was given to that rank to write to"
                                               : fmt::format("{} bytes are said to be written, not {} or none",
                                                             placed.written, receive.expected));
  }
  deregister(receive, *peers_[origin].endpoint);
  if (placed.written == receive.expected) return long_message_received(receive);
  if (shared && receive.received == front) {
    receive.received = receive.expected;
    if (Ways::has_rest(*receive.sender, receive)) return begin_rest(receive);
    return fetched(receive, peers_[origin], header, placed.send_id);
  }
  expect_no_more(receive);
  Peer& sender = peers_[origin];
  if (sender.endpoint->limits().measured) ways_.refused(sender, receive, Way::attach_both);
  request_pieces(receive, sender, header, placed.send_id);
}

void Engine::request_pieces(ReceiveRequest& receive, Peer& sender, transport::Header header,
                            std::uint64_t send_id) noexcept {
  if (sender.broken != nullptr) {
    fail(receive, sender.broken);
    return end(receive);
  }
  receive.received = 0;
  const RendezvousProtocol::Offered message{
      sender, header, {.address = 0, .bytes = receive.status.bytes, .send_id = send_id}, {}};
  try {
    rendezvous_pipeline.begin(*this, receive, message);
  } catch (const std::bad_alloc&) {
    fail(receive, Failure::current());
    fetched(receive, sender, header, send_id);
  }
}

void Engine::expect(ReceiveRequest& receive, Peer& sender) {
  receive.number = named_receives_.add(receive);
  if (receive.number == no_id) throw std::bad_alloc();
  receive.sender = &sender;
  sender.receiving.push_back(receive);
}

void Engine::expect_no_more(ReceiveRequest& receive) noexcept {
  List<ReceiveRequest, PostedKey>::remove(receive);
  named_receives_.remove(receive.number);
}

void Engine::long_message_received(ReceiveRequest& receive) noexcept {
  if (receive.filled()) {
    ways_.ended(*receive.sender, receive);
    expect_no_more(receive);
  }
  finish_receive(receive, receive.status);
}

}  // namespace bowline::proto

// SPDX-License-Identifier: BSD-3-Clause
// Long messages: the sender announces, and the receiver has the data brought by the protocol that its endpoint is best
// at. A sender's request ends with `finished`, or when it has handed over its last byte.
#include <algorithm>
#include <new>

#include "base/counter.hpp"
#include "base/tunable.hpp"
#include "dtype/cursor.hpp"
#include "proto/engine.hpp"
#include "proto/runs.hpp"

namespace bowline::proto {
namespace {

Tunable<std::size_t> piece_bytes{"rendezvous_piece", 16 << 10, 1 << 10, 1 << 20,
                                 "length of the pieces in which a long message is copied, in bytes"};

Counter listed_pieces{"listed_pieces", "pieces of long messages with holes sent from where their blocks lie"};
Counter packed_pieces{"packed_pieces", "pieces of long messages with holes copied together before they were sent"};

/// The sender's write to a receiver's memory.
class Putting final : public transport::Operation {
 public:
  Putting(Engine& engine, SendRequest& send) noexcept : engine_(engine), send_(send) {}

  void ended(const Error* failure) override {
    const Placed placed{
        .receive_id = send_.receive_id, .send_id = id_of(send_), .written = failure == nullptr ? send_.bytes : 0};
    engine_.send_control(send_.peer, control_header(send_.header, Kind::placed), as_prefix(placed));
    if (failure == nullptr) {
      engine_.complete(send_);
    } else {
      send_.peer.unanswered.push_back(send_);  // the receiver asks for it in another way
    }
    delete this;
  }

 private:
  Engine& engine_;
  SendRequest& send_;
};

}  // namespace

// ---- the sender

bool Engine::announce(SendRequest& send) {
  const ReadyToSend offer{
      .address = reinterpret_cast<std::uint64_t>(send.data), .bytes = send.bytes, .send_id = id_of(send)};
  transport::Endpoint& endpoint = *send.peer.endpoint;
  if (send.key == nullptr && send.data != nullptr && send.bytes > 0 && send.bytes >= endpoint.limits().get_from)
    expose(send);
  const std::span<const std::byte> key = send.key == nullptr ? std::span<const std::byte>() : *send.key;
  const auto header = control_header(send.header, Kind::ready_to_send);
  if (endpoint.send(header, as_prefix(offer), key) == transport::Post::retry) return false;
  await_answer(send);
  return true;
}

/// Once, however often the announcement finds no room.
void Engine::expose(SendRequest& send) {
  send.key = std::make_unique<std::vector<std::byte>>();
  try {
    *send.key = send.peer.endpoint->expose({send.data, send.bytes});
  } catch (const Error&) {
    // Without a key the receiver has the message brought in another way.
  }
}

/// The peer knows of the send, and it is the peer's turn to say something.
void Engine::await_answer(SendRequest& send) noexcept {
  List<SendRequest>::remove(send);
  send.stage = SendRequest::Stage::announced;
  send.peer.unanswered.push_back(send);
}

void Engine::clear_to_send_arrived(const ClearToSend& clear) {
  SendRequest& send = *reinterpret_cast<SendRequest*>(clear.send_id);
  List<SendRequest>::remove(send);
  send.header.kind = static_cast<std::uint8_t>(Kind::data);
  send.stage = SendRequest::Stage::streaming;
  send.receive_id = clear.receive_id;
  send.bytes = clear.bytes;
  enqueue(send);
  // Sent from the next round of progress: a sink must not send for long.
}

/// The next bytes to be sent. Those of a message with holes are packed, once, however often the piece finds no room.
std::span<const std::byte> Engine::next_piece(SendRequest& send, std::size_t length) {
  if (send.data != nullptr) return {send.data + send.sent, length};
  if (send.packed == nullptr) send.packed = std::make_unique_for_overwrite<std::byte[]>(length);  // later ones fit
  if (send.packed_up_to <= send.sent) {
    dtype::Cursor cursor(*send.buffer.type, send.buffer.count, send.buffer.base);
    cursor.seek(send.sent);
    cursor.pack({send.packed.get(), length});
    send.packed_up_to = send.sent + length;
    packed_pieces.add();
  }
  return {send.packed.get(), length};
}

/// Sends the next piece, from where it lies if the transport can do so and that is no shorter than a copied one.
transport::Post Engine::send_piece(SendRequest& send) {
  transport::Endpoint& endpoint = *send.peer.endpoint;
  const transport::Limits& limits = endpoint.limits();
  const Data place{.receive_id = send.receive_id, .offset = send.offset + send.sent};
  const std::size_t copied = std::min({piece_bytes.value(), limits.max_body - sizeof(Data), send.bytes - send.sent});
  const Runs runs(send, limits, std::min(copied, limits.max_posted));
  if (runs.none()) {
    const transport::Post sent = endpoint.send(send.header, as_prefix(place), next_piece(send, copied));
    if (sent != transport::Post::retry) send.sent += copied;
    return sent;
  }
  if (send.in_flight == nullptr) send.in_flight = std::make_unique<InFlight>(*this, send);
  const transport::Post sent = endpoint.post(send.header, as_prefix(place), runs.list(), *send.in_flight);
  if (sent == transport::Post::retry) return sent;
  if (sent == transport::Post::begun) send.in_flight->add();
  if (send.data == nullptr) listed_pieces.add();
  send.sent += runs.bytes();
  return sent;
}

bool Engine::stream(SendRequest& send) {
  while (send.sent < send.bytes) {
    if (must_look() || send_piece(send) == transport::Post::retry) return false;
    ++sends_since_progress_;
    fruitless_flushes_ = 0;
  }
  List<SendRequest>::remove(send);
  end_stream(send);
  return true;
}

/// Everything was handed over, or will not be: the send is over when nothing of it is in flight.
void Engine::end_stream(SendRequest& send) noexcept {
  send.sent = send.bytes;
  if (send.in_flight == nullptr || send.in_flight->none()) complete(send);
}

void InFlight::ended(const Error* failure) {
  --pieces_;
  if (failure != nullptr) Engine::fail(send_, *failure);
  if (none() && send_.sent == send_.bytes) engine_.complete(send_);
}

void Engine::clear_to_put_arrived(const ClearToPut& clear, std::span<const std::byte> key) {
  SendRequest& send = *reinterpret_cast<SendRequest*>(clear.send_id);
  List<SendRequest>::remove(send);
  send.stage = SendRequest::Stage::putting;
  send.receive_id = clear.receive_id;
  send.bytes = clear.bytes;
  auto* const putting = new Putting(*this, send);
  const Error refused(ErrorClass::other, "the receiver's memory cannot be written to");
  try {
    switch (send.peer.endpoint->put({send.data, send.bytes}, {clear.address, key}, *putting)) {
      case transport::Access::done:
        return putting->ended(nullptr);
      case transport::Access::begun:
        return;
      case transport::Access::refused:
        return putting->ended(&refused);
    }
  } catch (const Error& error) {
    putting->ended(&error);
  }
}

// ---- the receiver

void Engine::offer_arrived(int origin, transport::Header header, const ReadyToSend& offer,
                           std::span<const std::byte> key) {
  if (flow_.restrains()) flow_.note_arrival(origin, header);
  MatchQueue& messages = queue_of_arrival(header.context);
  if (ReceiveRequest* receive = messages.posted.take(header)) {
    return accept_offer(*receive, origin, header, offer, key);
  }
  Unexpected& message = *unexpected_pool_.make();
  message.header = header;
  message.origin = origin;
  message.offer = offer;
  message.bytes = offer.bytes;
  message.stored = key.size();
  if (!key.empty()) {
    message.body = std::make_unique_for_overwrite<std::byte[]>(key.size());
    std::ranges::copy(key, message.body.get());
  }
  add_unexpected(message, messages);
}

/// Has the announced message brought. Whatever goes wrong is the receive's failure, because the message has left the
/// queues; and the end of the send, whose sender would wait for ever.
void Engine::accept_offer(ReceiveRequest& receive, int origin, transport::Header header, const ReadyToSend& offer,
                          std::span<const std::byte> key) noexcept {
  receive.expected = std::min<std::size_t>(offer.bytes, receive.buffer.bytes());
  receive.received = 0;
  receive.status = {.source = header.source, .tag = header.tag, .bytes = offer.bytes};
  Peer* peer = nullptr;
  try {
    peer = &peers_[origin];
    const RendezvousProtocol::Offered message{*peer, header, offer, key};
    receive.target = receive.buffer.run();
    if (receive.expected == 0) return fetched(receive, message.peer, header, offer.send_id);
    for (const Plan::Choice& choice : message.peer.plan.in_order()) {
      if (choice.serves(receive.expected) && choice.protocol->begin(*this, receive, message)) return;
    }
  } catch (const Error& error) {
    fail(receive, error);
  } catch (const std::bad_alloc&) {
    fail(receive, Error(ErrorClass::no_mem, "no memory is left to receive a long message into"));
  }
  if (receive.failure == nullptr) return;
  if (peer != nullptr) return fetched(receive, *peer, header, offer.send_id);
  complete(receive);  // the sender cannot be reached
}

void Engine::fetched(ReceiveRequest& receive, Peer& peer, transport::Header header, std::uint64_t send_id) {
  const SendId id{.send_id = send_id};
  send_control(peer, control_header(header, Kind::finished), as_prefix(id));
  long_message_received(receive);
}

void Engine::data_arrived(const Data& piece, std::span<const std::byte> body) {
  ReceiveRequest& receive = *reinterpret_cast<ReceiveRequest*>(piece.receive_id);
  if (receive.target != nullptr) {
    std::memcpy(receive.target + piece.offset, body.data(), body.size());
  } else {
    dtype::Cursor cursor(*receive.buffer.type, receive.buffer.count, receive.buffer.base);
    cursor.seek(piece.offset);
    cursor.unpack(body);
  }
  receive.received += body.size();
  if (receive.received == receive.expected) long_message_received(receive);
}

void Engine::placed_arrived(int origin, transport::Header header, const Placed& placed) {
  ReceiveRequest& receive = *reinterpret_cast<ReceiveRequest*>(placed.receive_id);
  conceal(receive, *peers_[origin].endpoint);
  List<ReceiveRequest, PostedKey>::remove(receive);
  if (placed.written == receive.expected) return long_message_received(receive);
  const RendezvousProtocol::Offered message{
      peers_[origin], header, {.address = 0, .bytes = receive.status.bytes, .send_id = placed.send_id}, {}};
  rendezvous_pipeline.begin(*this, receive, message);
}

void Engine::long_message_received(ReceiveRequest& receive) {
  if (receive.filled()) List<ReceiveRequest, PostedKey>::remove(receive);
  finish_receive(receive, receive.status);
}

}  // namespace bowline::proto

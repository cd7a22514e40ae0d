// SPDX-License-Identifier: BSD-3-Clause
// Long messages: the sender announces, the receiver fetches from the sender's memory, or has it sent in pieces.
//
//   by get:   sender  ready_to_send ->  receiver reads the memory  -> finished
//   by copy:  sender  ready_to_send ->  clear_to_send  -> data, data, ... (each side copies a piece while the other
//   copies)
//
// A sender's request ends with `finished`, or when its last piece is handed over.
#include <algorithm>

#include "base/tunable.hpp"
#include "proto/engine.hpp"

namespace bowline::proto {
namespace {

Tunable<std::size_t> piece_bytes{"rendezvous_piece", 16 << 10, 1 << 10, 1 << 20,
                                 "length of the pieces in which a long message is copied, in bytes"};

template <class T>
std::uint64_t id_of(T& request) noexcept {
  return reinterpret_cast<std::uint64_t>(&request);
}

transport::Header control_header(const transport::Header& of_message, Kind kind) noexcept {
  transport::Header header = of_message;
  header.kind = static_cast<std::uint8_t>(kind);
  return header;
}

}  // namespace

// ---- the sender

bool Engine::announce(SendRequest& send) {
  const ReadyToSend offer{
      .address = reinterpret_cast<std::uint64_t>(send.data), .bytes = send.bytes, .send_id = id_of(send)};
  const auto header = control_header(send.header, Kind::ready_to_send);
  if (send.peer.endpoint->send(header, as_prefix(offer), {}) == transport::Post::retry) return false;
  List<SendRequest>::remove(send);
  send.stage = SendRequest::Stage::announced;
  return true;
}

void Engine::clear_to_send_arrived(const ClearToSend& clear) {
  SendRequest& send = *reinterpret_cast<SendRequest*>(clear.send_id);
  send.stage = SendRequest::Stage::streaming;
  send.receive_id = clear.receive_id;
  send.bytes = clear.bytes;
  enqueue(send);
  // Sent from the next round of progress: a sink must not send for long.
}

bool Engine::stream(SendRequest& send) {
  const auto header = control_header(send.header, Kind::data);
  transport::Endpoint& endpoint = *send.peer.endpoint;
  const std::size_t longest = std::min(piece_bytes.value(), endpoint.limits().max_body - sizeof(Data));
  while (send.sent < send.bytes) {
    const Data piece{.receive_id = send.receive_id, .offset = send.sent};
    const std::size_t length = std::min(longest, send.bytes - send.sent);
    if (endpoint.send(header, as_prefix(piece), {send.data + send.sent, length}) == transport::Post::retry)
      return false;
    send.sent += length;
  }
  List<SendRequest>::remove(send);
  complete(send);
  return true;
}

// ---- the receiver

void Engine::offer_arrived(int origin, const transport::Header& header, const ReadyToSend& offer) {
  MatchQueue& receives = queue(header.context);
  if (ReceiveRequest* receive = receives.take_posted(header)) return accept_offer(*receive, origin, header, offer);
  Unexpected& message = *unexpected_pool_.make();
  message.header = header;
  message.origin = origin;
  message.offer = offer;
  message.bytes = offer.bytes;
  receives.add_unexpected(message);
}

void Engine::accept_offer(ReceiveRequest& receive, int origin, const transport::Header& header,
                          const ReadyToSend& offer) {
  Peer& peer = peers_[origin];
  const Buffer& buffer = receive.buffer;
  receive.expected = std::min<std::size_t>(offer.bytes, buffer.bytes());
  receive.status = {.source = header.source, .tag = header.tag, .bytes = offer.bytes};
  if (buffer.type->contiguous()) {
    receive.target = buffer.base;
  } else {
    receive.packed = std::make_unique_for_overwrite<std::byte[]>(receive.expected);
    receive.target = receive.packed.get();
  }
  if (!fetch(receive, peer, offer)) {
    const ClearToSend clear{.send_id = offer.send_id, .receive_id = id_of(receive), .bytes = receive.expected};
    return send_control(peer, control_header(header, Kind::clear_to_send), as_prefix(clear));
  }
  const Finished finished{.send_id = offer.send_id};
  send_control(peer, control_header(header, Kind::finished), as_prefix(finished));
  long_message_received(receive);
}

/// Reads the message from the sender's memory; false if it has to be sent in pieces. A sender's buffer that cannot be
/// read is an error of the program there; it fails this receive.
bool Engine::fetch(ReceiveRequest& receive, const Peer& peer, const ReadyToSend& offer) {
  if (receive.expected == 0) return true;
  if (receive.expected < peer.endpoint->limits().get_from) return false;
  try {
    return peer.endpoint->get(offer.address, {receive.target, receive.expected});
  } catch (const Error& error) {
    fail(receive, error);
    return true;
  }
}

void Engine::data_arrived(const Data& piece, std::span<const std::byte> body) {
  ReceiveRequest& receive = *reinterpret_cast<ReceiveRequest*>(piece.receive_id);
  std::memcpy(receive.target + piece.offset, body.data(), body.size());
  receive.received += body.size();
  if (receive.received == receive.expected) long_message_received(receive);
}

void Engine::long_message_received(ReceiveRequest& receive) {
  if (receive.packed != nullptr && receive.status.error == ErrorClass::success) {
    dtype::unpack(*receive.buffer.type, receive.packed.get(), receive.expected, receive.buffer.base);
    receive.packed.reset();
  }
  finish_receive(receive, receive.status);
}

}  // namespace bowline::proto

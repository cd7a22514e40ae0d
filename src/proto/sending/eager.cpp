// SPDX-License-Identifier: BSD-3-Clause
// Eager messages: the whole message travels with its header. The transport copies it, sends it from where it lies, or
// sends its blocks; a message with holes that it cannot take so is packed first.
#include <array>
#include <memory>
#include <new>

#include "base/counter.hpp"
#include "proto/engine.hpp"
#include "proto/events/engine_events.hpp"
#include "proto/sending/iov_list.hpp"
#include "proto/sending/outbox.hpp"

namespace bowline::proto {
namespace {

Counter listed_messages(Category::messages, "listed_messages", "messages with holes sent eagerly without being packed");

/// Packs the data of a message with holes.
void pack_all(SendRequest& send) {
  send.packed = std::make_unique_for_overwrite<std::byte[]>(send.bytes);
  dtype::pack(*send.buffer.type, send.buffer.count, send.buffer.base, send.packed.get());
  send.data = send.packed.get();
}

}  // namespace

bool Outbox::goes_packed(Peer& peer, transport::Header header, const Buffer& buffer, Mode mode) {
  std::array<std::byte, longest_packed> packed;
  const std::size_t bytes = buffer.bytes();
  if (buffer.type->contiguous() || bytes > packed.size() || peer.waiting() || !peer.goes_straight(bytes) ||
      mode != Mode::standard)
    return false;
  dtype::pack(*buffer.type, buffer.count, buffer.base, packed.data());
  return peer.endpoint->send(header, {}, {packed.data(), bytes}) == transport::Post::done;
}

/// Sends as much of the request as the transport takes now; false if it has to wait for room.
bool Outbox::advance(SendRequest& send) {
  Rendezvous& rendezvous = engine_.rendezvous();
  if (send.stage == SendRequest::Stage::streaming) return rendezvous.stream(send);
  // A synchronous message is not posted: its answer may arrive before the transport reports that the message has been
  // sent.
  const bool posts = send.peer.eager(send.bytes) && send.mode == Mode::standard;
  if (send.data == nullptr && posts) {
    const IovList iov(send, send.peer.endpoint->limits(), send.bytes);
    if (!iov.none()) return post_eager(send, iov);
    pack_all(send);
  }
  if (send.peer.eager_copied(send.bytes)) return push_eager(send);
  return posts ? post_eager(send, IovList(send, send.peer.endpoint->limits(), send.bytes)) : rendezvous.announce(send);
}

bool Outbox::push_eager(SendRequest& send) {
  if (send.data == nullptr) pack_all(send);
  const bool synchronous = send.mode == Mode::synchronous;
  if (synchronous && !engine_.requests().name(send)) throw std::bad_alloc();
  const SendId id{.send_id = send.id};
  const auto header = synchronous ? control_header(send.header, Kind::eager_synchronous) : send.header;
  const auto prefix = synchronous ? as_prefix(id) : std::span<const std::byte>();
  transport::Endpoint& endpoint = *send.peer.endpoint;
  // Of a synchronous message the answer may arrive before the transport reports that the message has left.
  InFlight* const leaving = synchronous || !endpoint.limits().keeps ? nullptr : &in_flight(send);
  const transport::Post sent = endpoint.send_or_keep(header, prefix, {send.data, send.bytes}, leaving);
  if (sent == transport::Post::retry) return false;
  if (protocol_chosen.heard()) tell_protocol(send.peer, send.header, send.bytes, eager_inline, Side::sender);
  if (synchronous) {
    await_answer(send, SendRequest::Stage::delivered);
  } else {
    end_eager(send, sent);
  }
  return true;
}

/// Sends the message eagerly, without a copy.
bool Outbox::post_eager(SendRequest& send, const IovList& iov) {
  const transport::Post sent = send.peer.endpoint->post(send.header, {}, iov.list(), in_flight(send));
  if (sent == transport::Post::retry) return false;
  if (send.data == nullptr) listed_messages.add();
  if (protocol_chosen.heard()) tell_protocol(send.peer, send.header, send.bytes, eager_copy, Side::sender);
  end_eager(send, sent);
  return true;
}

/// The transport has the whole message. The request is done when all of it has left this process.
void Outbox::end_eager(SendRequest& send, transport::Post sent) noexcept {
  if (sent == transport::Post::begun) send.in_flight->add();
  send.stage = SendRequest::Stage::streaming;
  List<SendRequest>::remove(send);
  end(send);
}

}  // namespace bowline::proto

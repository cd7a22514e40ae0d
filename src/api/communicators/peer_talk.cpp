// SPDX-License-Identifier: BSD-3-Clause
#include "api/communicators/peer_talk.hpp"

#include "base/lock.hpp"
#include "dtype/predefined.hpp"
#include "proto/context.hpp"
#include "proto/engine.hpp"

namespace bowline::api {

PeerTalk::PeerTalk(comm::Communicator& peer, int partner, int tag)
    : peer_(peer), context_(proto::with_purpose(peer.context(), proto::Purpose::local)), partner_(partner), tag_(tag) {}

void PeerTalk::exchange_bytes(std::span<const std::byte> mine, std::span<std::byte> theirs) {
  const LockGuard lane(peer_.engine().lock());
  proto::Request& received = begin_to_receive(theirs);
  send_to_partner(mine);
  finish(received);
}

void PeerTalk::send(std::span<const std::byte> message) {
  const std::uint64_t length = message.size();
  const LockGuard lane(peer_.engine().lock());
  send_to_partner(std::as_bytes(std::span(&length, 1)));
  send_to_partner(message);
}

Bytes PeerTalk::receive() {
  std::uint64_t length = 0;
  const LockGuard lane(peer_.engine().lock());
  finish(begin_to_receive(std::as_writable_bytes(std::span(&length, 1))));
  Bytes message(length);
  finish(begin_to_receive(message));
  return message;
}

proto::Request& PeerTalk::begin_to_receive(std::span<std::byte> data) {
  return peer_.engine().ireceive({context_, partner_, tag_}, {data.data(), data.size(), &dtype::byte_type()});
}

void PeerTalk::send_to_partner(std::span<const std::byte> data) {
  // A send only reads the buffer.
  peer_.engine().send(peer_.process(partner_), {.context = context_, .source = peer_.rank(), .tag = tag_},
                      {const_cast<std::byte*>(data.data()), data.size(), &dtype::byte_type()});
}

void PeerTalk::finish(proto::Request& received) {
  peer_.engine().wait(received);
  peer_.engine().release(received);
}

}  // namespace bowline::api

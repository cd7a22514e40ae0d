// SPDX-License-Identifier: BSD-3-Clause
// Sending: short messages go straight into the transport; what finds no room waits in order at its peer.
#include "proto/engine.hpp"

namespace bowline::proto {
namespace {

std::span<const std::byte> whole(const Buffer& buffer) noexcept {
  return {buffer.base, buffer.bytes()};
}

/// Whether the message may go out at once: nothing stands before it, and it needs neither packing nor a rendezvous.
bool goes_straight(const Peer& peer, const Buffer& buffer) noexcept {
  return !peer.waiting() && buffer.type->contiguous() && buffer.bytes() <= peer.eager_limit;
}

}  // namespace

void Engine::send(int to, const transport::Header& header, const Buffer& buffer) {
  Peer& peer = peers_[to];
  if (goes_straight(peer, buffer) && peer.endpoint->send(header, {}, whole(buffer)) == transport::Post::done)
      [[likely]] {
    return;
  }
  SendRequest send(header, peer);
  start_queued(send, buffer);
  wait(send);
}

Request& Engine::isend(int to, const transport::Header& header, const Buffer& buffer) {
  Peer& peer = peers_[to];
  if (goes_straight(peer, buffer) && peer.endpoint->send(header, {}, whole(buffer)) == transport::Post::done)
      [[likely]] {
    return completed_send();
  }
  SendRequest& send = *send_pool_.make(header, peer);
  start_queued(send, buffer);
  return send;
}

void Engine::start_queued(SendRequest& send, const Buffer& buffer) {
  send.bytes = buffer.bytes();
  if (buffer.type->contiguous()) {
    send.data = buffer.base;
  } else {
    send.packed = std::make_unique_for_overwrite<std::byte[]>(send.bytes);
    dtype::pack(*buffer.type, buffer.count, buffer.base, send.packed.get());
    send.data = send.packed.get();
  }
  ++active_sends_;
  enqueue(send);
  flush(send.peer);
}

void Engine::enqueue(SendRequest& send) noexcept {
  Peer& peer = send.peer;
  if (!peer.waiting()) waiting_peers_.push_back(peer);
  peer.sends.push_back(send);
}

/// Sends what this request can send now; false if it has to wait for room.
bool Engine::advance(SendRequest& send) {
  if (send.stage == SendRequest::Stage::streaming) return stream(send);
  if (send.bytes > send.peer.eager_limit) return announce(send);
  if (send.peer.endpoint->send(send.header, {}, {send.data, send.bytes}) == transport::Post::retry) return false;
  List<SendRequest>::remove(send);
  complete(send);
  return true;
}

/// Sends what waits for this peer, in order; true if nothing waits any more.
bool Engine::flush(Peer& peer) {
  while (!peer.controls.empty()) {
    Control& control = peer.controls.front();
    const std::span<const std::byte> prefix(control.prefix.data(), control.prefix_bytes);
    if (peer.endpoint->send(control.header, prefix, {}) == transport::Post::retry) return false;
    control_pool_.destroy(&peer.controls.pop_front());
  }
  while (!peer.sends.empty()) {
    if (!advance(peer.sends.front())) return false;
  }
  if (peer.waiting()) List<Peer>::remove(peer);
  return true;
}

void Engine::flush_waiting() {
  // Each peer once: one that still waits goes to the end of the list.
  List<Peer> now;
  while (!waiting_peers_.empty()) now.push_back(waiting_peers_.pop_front());
  while (!now.empty()) {
    Peer& peer = now.pop_front();
    waiting_peers_.push_back(peer);
    flush(peer);
  }
}

void Engine::send_control(Peer& peer, const transport::Header& header, std::span<const std::byte> prefix) {
  if (peer.controls.empty() && peer.endpoint->send(header, prefix, {}) == transport::Post::done) return;
  Control& control = *control_pool_.make();
  control.header = header;
  std::memcpy(control.prefix.data(), prefix.data(), prefix.size());
  control.prefix_bytes = prefix.size();
  if (!peer.waiting()) waiting_peers_.push_back(peer);
  peer.controls.push_back(control);
}

}  // namespace bowline::proto

// SPDX-License-Identifier: BSD-3-Clause
// Sending: a short message goes directly into the transport. A message for which there is no room waits in order at its
// peer.
#include <array>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <utility>

#include "base/counter.hpp"
#include "proto/engine.hpp"
#include "proto/iov_list.hpp"

namespace bowline::proto {
namespace {

// Number of flushes in a row without effect after which the engine checks whether the peers are still alive.
constexpr unsigned flushes_per_doubt = 4096;

Counter listed_messages{"listed_messages", "messages with holes sent eagerly without being packed"};

}  // namespace

void Engine::send_with_request(Peer& peer, transport::Header header, const Buffer& buffer, Mode mode) {
  if (goes_packed(peer, header, buffer, mode)) return count_send();
  SendRequest& send = new_send(header, peer, buffer, mode);
  start_queued(send);
  wait(send, &send_awaited);
  const Failure failure = std::move(send.failure);
  release(send);
  if (failure != nullptr) throw Error(*failure);
}

Request& Engine::isend_with_request(Peer& peer, transport::Header header, const Buffer& buffer, Mode mode) {
  if (goes_packed(peer, header, buffer, mode)) {
    count_send();
    return completed_request();
  }
  SendRequest& send = new_send(header, peer, buffer, mode);
  start_queued(send);
  count_send();
  return send;
}

bool Engine::try_send(int to, transport::Header header, const Buffer& buffer) {
  if (!goes_straight(peers_[to], header, buffer, Mode::standard)) return false;
  count_send();
  return true;
}

void Engine::send_observed(int to, transport::Header header, const Buffer& buffer, SendObserver& observer) {
  SendRequest& send = new_send(header, peers_[to], buffer, Mode::standard);
  send.observer = &observer;
  send.detached = true;
  start_queued(send);
  count_send();
}

SendRequest& Engine::make_send(int to, transport::Header header, const Buffer& buffer, Mode mode) {
  SendRequest& send = new_send(header, peers_[to], buffer, mode);
  send.persistent = true;
  send.active = false;
  return send;
}

/// Starts a round of a persistent send.
void Engine::begin(SendRequest& send) {
  send.header.kind = static_cast<std::uint8_t>(Kind::eager);
  if (goes_straight(send.peer, send.header, send.buffer, send.mode)) {
    send.done = true;
  } else {
    send.stage = SendRequest::Stage::queued;
    send.sent = 0;
    start_queued(send);
  }
  count_send();
}

void Engine::start_queued(SendRequest& send) noexcept {
  send.asked_back = false;
  locate_data(send);
  ++active_sends_;
  enqueue(send);
  flush(send.peer);
}

/// Sets `data` to the data of the message if they have no holes.
void Engine::locate_data(SendRequest& send) noexcept {
  send.bytes = send.buffer.bytes();
  send.data = send.buffer.run();
  send.packed.reset();
  send.packed_up_to = 0;
}

/// Packs the data of a message with holes.
void Engine::pack_all(SendRequest& send) {
  send.packed = std::make_unique_for_overwrite<std::byte[]>(send.bytes);
  dtype::pack(*send.buffer.type, send.buffer.count, send.buffer.base, send.packed.get());
  send.data = send.packed.get();
}

/// Packs a short message with holes and sends it at once, if no message waits before it and it needs no answer. Returns
/// whether the transport has taken it.
bool Engine::goes_packed(Peer& peer, transport::Header header, const Buffer& buffer, Mode mode) {
  std::array<std::byte, longest_packed> packed;
  const std::size_t bytes = buffer.bytes();
  if (buffer.type->contiguous() || bytes > packed.size() || peer.waiting() || !peer.eager_copied(bytes) ||
      mode != Mode::standard)
    return false;
  dtype::pack(*buffer.type, buffer.count, buffer.base, packed.data());
  return peer.endpoint->send(header, {}, {packed.data(), bytes}) == transport::Post::done;
}

void Engine::send_part(Peer& peer, transport::Header header, const Buffer& part, std::uint64_t receive_id,
                       std::size_t offset, SendObserver& observer) {
  SendRequest& send = new_send(header, peer, part, Mode::standard);
  send.stage = SendRequest::Stage::streaming;
  send.receive_id = receive_id;
  send.offset = offset;
  send.observer = &observer;
  send.detached = true;
  start_queued(send);
}

void Engine::enqueue(SendRequest& send) noexcept {
  Peer& peer = send.peer;
  if (!peer.waiting()) waiting_peers_.push_back(peer);
  peer.sends.push_back(send);
}

/// Sends as much of the request as the transport takes now; false if it has to wait for room.
bool Engine::advance(SendRequest& send) {
  if (send.stage == SendRequest::Stage::streaming) return stream(send);
  // A synchronous message is not posted: its answer may arrive before the transport reports that the message has been
  // sent.
  const bool posts = send.peer.eager(send.bytes) && send.mode == Mode::standard;
  if (send.data == nullptr && posts) {
    const IovList iov(send, send.peer.endpoint->limits(), send.bytes);
    if (!iov.none()) return post_eager(send, iov);
    pack_all(send);
  }
  if (send.peer.eager_copied(send.bytes)) return push_eager(send);
  return posts ? post_eager(send, IovList(send, send.peer.endpoint->limits(), send.bytes)) : announce(send);
}

bool Engine::push_eager(SendRequest& send) {
  if (send.data == nullptr) pack_all(send);
  const bool synchronous = send.mode == Mode::synchronous;
  if (synchronous && !has_id(send)) throw std::bad_alloc();
  const SendId id{.send_id = send.id};
  const auto header = synchronous ? control_header(send.header, Kind::eager_synchronous) : send.header;
  const auto prefix = synchronous ? as_prefix(id) : std::span<const std::byte>();
  if (send.peer.endpoint->send(header, prefix, {send.data, send.bytes}) == transport::Post::retry) return false;
  if (synchronous) {
    await_answer(send, SendRequest::Stage::delivered);
  } else {
    List<SendRequest>::remove(send);
    complete(send);
  }
  return true;
}

/// Sends the message eagerly, without a copy.
bool Engine::post_eager(SendRequest& send, const IovList& iov) {
  if (send.in_flight == nullptr) send.in_flight = std::make_unique<InFlight>(*this, send);
  const transport::Post sent = send.peer.endpoint->post(send.header, {}, iov.list(), *send.in_flight);
  if (sent == transport::Post::retry) return false;
  if (send.data == nullptr) listed_messages.add();
  if (sent == transport::Post::begun) send.in_flight->add();
  send.stage = SendRequest::Stage::streaming;
  List<SendRequest>::remove(send);
  end_stream(send);
  return true;
}

/// Sends the messages that wait for this peer, in order, until there is no room or must_look() requires a round of
/// progress. Room may never run out if the receiver takes everything at once; its request to hold back must
/// nevertheless be received before the last message is sent.
void Engine::flush(Peer& peer) noexcept {
  while (!peer.controls.empty()) {
    Control& control = peer.controls.front();
    const std::span<const std::byte> prefix(control.prefix.data(), control.prefix_bytes);
    if (peer.endpoint->send(control.header, prefix, control.body) == transport::Post::retry) return;
    control_pool_.destroy(&peer.controls.pop_front());
    fruitless_flushes_ = 0;
  }
  if (peer.broken != nullptr) [[unlikely]] {
    fail_sends(peer, peer.broken);
    return;
  }
  while (!peer.sends.empty() && !must_look()) {
    SendRequest& send = peer.sends.front();
    const bool begins = send.stage == SendRequest::Stage::queued;
    HeldContext* const hold = peer.holds.empty() || !begins ? nullptr : peer.held(send.header.context);
    if (hold != nullptr && hold->allowance == 0) [[unlikely]] {
      hold->sends.push_back(peer.sends.pop_front());
    } else if (!advance_or_fail(send)) {
      return;
    } else {
      ++sends_since_progress_;
      if (hold != nullptr) --hold->allowance;
    }
    fruitless_flushes_ = 0;
  }
  if (peer.sends.empty() && peer.waiting()) List<Peer>::remove(peer);
}

/// As advance(), but does not throw. On an error the send fails if no part of it has been sent. Otherwise the
/// connection fails, because the receiver would wait for the rest forever; the lack of memory does so only if it lasts.
bool Engine::advance_or_fail(SendRequest& send) noexcept {
  try {
    return advance(send);
  } catch (...) {
    const Failure why = Failure::current();
    if (send.stage == SendRequest::Stage::streaming) {
      const bool again = why->error_class() == ErrorClass::no_mem && shortage_.may_end(MemoryShortage::Clock::now());
      if (!again) fail_peer(send.peer.rank, why);
      return false;
    }
    List<SendRequest>::remove(send);
    fail(send, why);
    end_stream(send);
    return true;
  }
}

void Engine::flush_waiting() noexcept {
  ++fruitless_flushes_;
  // Flushes each peer at most once. Peers that had no turn before must_look() go first the next time.
  List<Peer> now;
  now.append(waiting_peers_);
  while (!now.empty() && !must_look()) {
    Peer& peer = now.pop_front();
    waiting_peers_.push_back(peer);
    flush(peer);
  }
  if (!now.empty()) {
    now.append(waiting_peers_);
    waiting_peers_.append(now);
  }
  if (fruitless_flushes_ < flushes_per_doubt) return;
  fruitless_flushes_ = 0;
  doubt(false);
}

void Engine::send_failure(int to, transport::Header header, const Error& why) {
  constexpr std::size_t longest = 512;  // the longest text of MPI_Error_string, in bytes
  const int lost = rank_in_job(to) < 0 ? -1 : why.lost();
  const FailureNotice notice{.error_class = static_cast<std::int32_t>(why.error_class()), .lost = lost};
  const std::string_view text = std::string_view(why.what()).substr(0, longest);
  send_control(peers_[to], control_header(header, Kind::failure), as_prefix(notice), std::as_bytes(std::span(text)));
}

void Engine::send_control(Peer& peer, transport::Header header, std::span<const std::byte> prefix,
                          std::span<const std::byte> body) noexcept {
  if (peer.broken != nullptr) [[unlikely]]
    return;
  if (peer.controls.empty() && peer.endpoint->send(header, prefix, body) == transport::Post::done) return;
  try {
    queue_control(peer, header, prefix, body);
  } catch (...) {
    fail_peer(peer.rank, Failure::current());
  }
}

/// Copies the message, which then waits for room at the peer.
void Engine::queue_control(Peer& peer, transport::Header header, std::span<const std::byte> prefix,
                           std::span<const std::byte> body) {
  std::vector<std::byte> kept(body.begin(), body.end());
  Control& control = *control_pool_.make();
  control.header = header;
  if (!prefix.empty()) std::memcpy(control.prefix.data(), prefix.data(), prefix.size());
  control.prefix_bytes = prefix.size();
  control.body = std::move(kept);
  if (!peer.waiting()) waiting_peers_.push_back(peer);
  peer.controls.push_back(control);
}

}  // namespace bowline::proto

// SPDX-License-Identifier: BSD-3-Clause
#include "proto/sending/outbox.hpp"

#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "proto/engine.hpp"

namespace bowline::proto {
namespace {

// Number of flushes in a row without effect after which the engine checks whether the peers are still alive.
constexpr unsigned flushes_per_check = 4096;

}  // namespace

void Outbox::begin(SendRequest& send) noexcept {
  send.asked_back = false;
  send.locate_data();
  engine_.requests().send_begins();
  if (const Failure why = engine_.interruptions().of(send.header.context); why != nullptr) [[unlikely]] {
    send.fail(why);
    return end(send);
  }
  enqueue(send);
  flush(send.peer);
}

void Outbox::enqueue(SendRequest& send) noexcept {
  Peer& peer = send.peer;
  if (!peer.waiting()) waiting_peers_.push_back(peer);
  peer.sends.push_back(send);
}

void Outbox::put_first(Peer& peer, List<SendRequest>& sends) noexcept {
  if (!sends.empty() && !peer.waiting()) waiting_peers_.push_back(peer);
  sends.append(peer.sends);
  peer.sends.append(sends);
}

bool Outbox::handed_over() const noexcept {
  bool all = waiting_peers_.empty();
  const RequestStore& requests = engine_.requests();
  if (!requests.any_send_pending()) return all;
  requests.for_each_send([&](const SendRequest& send) { all = all && send.unanswered(); });
  return all;
}

// Room may never run out if the receiver takes everything at once; the receiver's request to pause must nevertheless be
// received before the last message is sent.
void Outbox::flush(Peer& peer) noexcept {
  while (!peer.controls.empty()) {
    Control& control = peer.controls.front();
    const std::span<const std::byte> prefix(control.prefix.data(), control.prefix_bytes);
    if (peer.endpoint->send_or_keep(control.header, prefix, control.body, nullptr) == transport::Post::retry) return;
    controls_.destroy(&peer.controls.pop_front());
    fruitless_flushes_ = 0;
  }
  if (peer.broken != nullptr) [[unlikely]] {
    engine_.liveness().fail_sends(peer, peer.broken);
    return;
  }
  while (!peer.sends.empty() && !must_look()) {
    SendRequest& send = peer.sends.front();
    const bool begins = send.stage == SendRequest::Stage::queued;
    PausedContext* const paused = peer.paused_contexts.empty() || !begins ? nullptr : peer.paused(send.header.context);
    if (paused != nullptr && paused->allowance == 0) [[unlikely]] {
      paused->sends.push_back(peer.sends.pop_front());
    } else if (!advance_or_fail(send)) {
      return;
    } else {
      count();
      if (paused != nullptr) --paused->allowance;
    }
    fruitless_flushes_ = 0;
  }
  peer.forget_if_idle();
}

/// As advance(), but does not throw. On an error the send fails if no part of it has been sent. Otherwise the
/// connection fails, because the receiver would wait for the rest forever; a lack of memory fails the connection only
/// if the lack lasts.
bool Outbox::advance_or_fail(SendRequest& send) noexcept {
  try {
    return advance(send);
  } catch (...) {
    const Failure why = Failure::current();
    if (send.stage == SendRequest::Stage::streaming) {
      const bool again =
          why->error_class() == ErrorClass::no_mem && engine_.shortage().may_end(MemoryShortage::Clock::now());
      if (!again) engine_.liveness().break_off(send.peer.rank, why);
      return false;
    }
    List<SendRequest>::remove(send);
    send.fail(why);
    end(send);
    return true;
  }
}

void Outbox::flush_waiting() noexcept {
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
  if (fruitless_flushes_ < flushes_per_check) return;
  fruitless_flushes_ = 0;
  engine_.liveness().check(false);
}

void Outbox::end(SendRequest& send) noexcept {
  send.sent = send.bytes;
  if (send.in_flight == nullptr || send.in_flight->none()) engine_.complete(send);
}

InFlight& Outbox::in_flight(SendRequest& send) {
  if (send.in_flight == nullptr) send.in_flight = std::make_unique<InFlight>(engine_, send);
  return *send.in_flight;
}

void InFlight::ended(const Error* failure) noexcept {
  --pieces_;
  if (failure != nullptr) send_.fail(*failure);
  if (none() && send_.sent == send_.bytes) engine_.complete(send_);
}

void Outbox::await_answer(SendRequest& send, SendRequest::Stage stage) noexcept {
  List<SendRequest>::remove(send);
  send.stage = stage;
  send.peer.unanswered.push_back(send);
}

// ---- controls

void Outbox::send_control(Peer& peer, transport::Header header, std::span<const std::byte> prefix,
                          std::span<const std::byte> body) noexcept {
  if (peer.broken != nullptr) [[unlikely]]
    return;
  if (peer.controls.empty() && peer.endpoint->send_or_keep(header, prefix, body, nullptr) != transport::Post::retry)
    return;
  try {
    queue_control(peer, header, prefix, body);
  } catch (...) {
    engine_.liveness().break_off(peer.rank, Failure::current());
  }
}

void Outbox::queue_control(Peer& peer, transport::Header header, std::span<const std::byte> prefix,
                           std::span<const std::byte> body) {
  std::vector<std::byte> kept(body.begin(), body.end());
  Control& control = *controls_.make();
  control.header = header;
  if (!prefix.empty()) std::memcpy(control.prefix.data(), prefix.data(), prefix.size());
  control.prefix_bytes = prefix.size();
  control.body = std::move(kept);
  if (!peer.waiting()) waiting_peers_.push_back(peer);
  peer.controls.push_back(control);
}

void Outbox::drop_controls(Peer& peer) noexcept {
  while (!peer.controls.empty()) controls_.destroy(&peer.controls.pop_front());
}

}  // namespace bowline::proto

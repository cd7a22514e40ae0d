// SPDX-License-Identifier: BSD-3-Clause
// How operations start that need more than one call of a part.
#include <span>
#include <string_view>
#include <utility>

#include "proto/engine.hpp"

namespace bowline::proto {

// ---- sending

void Engine::send_with_request(Peer& peer, transport::Header header, const Buffer& buffer, Mode mode) {
  if (Outbox::goes_packed(peer, header, buffer, mode)) return count_send();
  SendRequest& send = requests_.new_send(header, peer, buffer, mode);
  outbox_.begin(send);
  wait(send, &send_awaited);
  const Failure failure = std::move(send.failure);
  release(send);
  if (failure != nullptr) throw Error(*failure);
}

Request& Engine::isend_with_request(Peer& peer, transport::Header header, const Buffer& buffer, Mode mode) {
  if (Outbox::goes_packed(peer, header, buffer, mode)) {
    count_send();
    return completed_request();
  }
  SendRequest& send = requests_.new_send(header, peer, buffer, mode);
  outbox_.begin(send);
  count_send();
  return send;
}

bool Engine::try_send(int to, transport::Header header, const Buffer& buffer) {
  if (!Outbox::goes_straight(peers_[to], header, buffer, Mode::standard)) return false;
  count_send();
  return true;
}

void Engine::send_observed(int to, transport::Header header, const Buffer& buffer, SendObserver& observer) {
  SendRequest& send = requests_.new_send(header, peers_[to], buffer, Mode::standard);
  send.observer = &observer;
  send.detached = true;
  outbox_.begin(send);
  count_send();
}

void Engine::send_part(Peer& peer, transport::Header header, const Buffer& part, std::uint64_t receive_id,
                       std::size_t offset, SendObserver& observer) {
  SendRequest& send = requests_.new_send(header, peer, part, Mode::standard);
  send.stage = SendRequest::Stage::streaming;
  send.receive_id = receive_id;
  send.offset = offset;
  send.observer = &observer;
  send.detached = true;
  outbox_.begin(send);
}

void Engine::send_failure(int to, transport::Header header, const Error& why) {
  constexpr std::size_t longest = 512;  // the longest text of MPI_Error_string, in bytes
  const int lost = rank_in_job(to) < 0 ? -1 : why.lost();
  const FailureNotice notice{.error_class = static_cast<std::int32_t>(why.error_class()), .lost = lost};
  const std::string_view text = std::string_view(why.what()).substr(0, longest);
  outbox_.send_control(peers_[to], control_header(header, Kind::failure), as_prefix(notice),
                       std::as_bytes(std::span(text)));
}

SendRequest& Engine::make_send(int to, transport::Header header, const Buffer& buffer, Mode mode) {
  SendRequest& send = requests_.new_send(header, peers_[to], buffer, mode);
  send.persistent = true;
  send.active = false;
  return send;
}

/// Starts a round of a persistent send.
void Engine::begin(SendRequest& send) {
  send.header.kind = static_cast<std::uint8_t>(send.header.mark == 0 ? Kind::eager : Kind::eager_typed);
  if (!interruptions_.any() && Outbox::goes_straight(send.peer, send.header, send.buffer, send.mode)) {
    send.done = true;
  } else {
    send.stage = SendRequest::Stage::queued;
    send.sent = 0;
    outbox_.begin(send);
  }
  count_send();
}

// ---- receiving

bool Engine::wait_unless_pending(const Request& request, Awaiting::Describe describe) {
  LossCheck check;
  loop_.wait_or(request, describe, [&] { return check([&] { return liveness_.pends(request); }); });
  return request.done;
}

/// Waits until the receive, which lies on the caller's stack, is done.
Status Engine::finish(ReceiveRequest& receive) {
  if (!wait_unless_pending(receive, &receive_awaited)) [[unlikely]] {
    matching_.queue(receive.context).posted.remove(receive);
    throw liveness_.pending_error(receive.context, ErrorClass::proc_failed);
  }
  if (receive.failure != nullptr) throw Error(*receive.failure);
  return receive.status;
}

Request& Engine::ireceive_from(int sender, Match match, const Buffer& buffer) {
  ReceiveRequest& receive = requests_.new_receive(match, buffer);
  receive.process = sender;
  matching_.post(receive);
  return receive;
}

ReceiveRequest& Engine::make_receive(Match match, const Buffer& buffer) {
  ReceiveRequest& receive = requests_.new_receive(match, buffer);
  receive.persistent = true;
  receive.active = false;
  return receive;
}

void Engine::start(Request& request) {
  request.status = {};
  request.failure.reset();
  request.active = true;
  request.done = false;
  switch (request.role) {
    case Request::Role::send:
      return begin(static_cast<SendRequest&>(request));
    case Request::Role::receive:
      static_cast<ReceiveRequest&>(request).process = -1;
      return matching_.post(static_cast<ReceiveRequest&>(request));
    case Request::Role::special:
      return static_cast<SpecialRequest&>(request).start(*this);
  }
}

// ---- probing

bool Engine::iprobe(Match match, Status& status) {
  return look_for_message(match, status) != nullptr;
}

/// The message that a matching receive would take; nullptr if there is none.
Unexpected* Engine::look_for_message(Match match, Status& status) {
  Unexpected* message = matching_.peek(match, status);
  if (message == nullptr) {
    loop_.poll();
    message = matching_.peek(match, status);
  }
  if (message == nullptr && liveness_.pends(match)) [[unlikely]]
    throw liveness_.pending_error(match.context, ErrorClass::proc_failed_pending);
  return message;
}

Status Engine::probe(Match match) {
  Status status;
  matching_.await(match, status);
  return status;
}

Unexpected& Engine::mprobe(Match match) {
  Status status;
  return matching_.take(matching_.await(match, status));
}

Unexpected* Engine::improbe(Match match) {
  Status status;
  Unexpected* const message = look_for_message(match, status);
  return message == nullptr ? nullptr : &matching_.take(*message);
}

Status Engine::receive(Unexpected& message, const Buffer& buffer) {
  ReceiveRequest receive(message.header.context, message.header.source, message.header.tag, buffer);
  matching_.serve(receive, message);
  return finish(receive);
}

Request& Engine::ireceive(Unexpected& message, const Buffer& buffer) {
  const Match match{message.header.context, message.header.source, message.header.tag};
  ReceiveRequest& receive = requests_.new_receive(match, buffer);
  matching_.serve(receive, message);
  return receive;
}

}  // namespace bowline::proto

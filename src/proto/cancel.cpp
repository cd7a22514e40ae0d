// SPDX-License-Identifier: BSD-3-Clause
// Cancelling: possible for a receive that no message has matched and for a send that no receive has matched. A matched
// operation continues unchanged (MPI-5.0, section 3.8.4).
//
// A receive, and a send of which nothing has been sent, are cancelled here at once. For a send that the receiver knows,
// the receiver decides: it drops the message and sends `cancelled`, or it has matched the message and sends `finished`
// as usual. A receiver that has left without an answer has not matched the message. A receive that failed because its
// sender has left can be cancelled like one that still waits.
#include "proto/checks.hpp"
#include "proto/engine.hpp"

namespace bowline::proto {

namespace {

/// Whether it is a receive that failed because no message can match it any more.
bool waited_in_vain(const Request& request) noexcept {
  return request.role == Request::Role::receive && request.status.source == any_source &&
         request.status.error == ErrorClass::proc_aborted;
}

}  // namespace

void Engine::cancel(Request& request) {
  if (request.active && request.done && waited_in_vain(request)) {
    request.status = {.cancelled = true};
    request.failure.reset();
    return;
  }
  if (request.done || !request.active) return;
  switch (request.role) {
    case Request::Role::special:
      return static_cast<SpecialRequest&>(request).cancel(*this);
    case Request::Role::receive: {
      auto& receive = static_cast<ReceiveRequest&>(request);
      if (!receive.linked()) return;  // matched
      queue(receive.context).posted.remove(receive);
      break;
    }
    case Request::Role::send: {
      auto& send = static_cast<SendRequest&>(request);
      if (send.unanswered()) {
        send.asked_back = true;
        const SendId id{.send_id = send.id};
        return send_control(send.peer, control_header(send.header, Kind::cancel), as_prefix(id));
      }
      if (send.stage != SendRequest::Stage::queued) return;
      List<SendRequest>::remove(send);
      break;
    }
  }
  request.status.cancelled = true;
  complete(request);
}

void Engine::cancel_arrived(int origin, transport::Header header, std::uint64_t send_id) {
  if (send_id == no_id) throw wrong_message(origin, Kind::cancel, "it has no id");
  Peer& sender = peers_[origin];
  MatchQueue& messages = queue_of_arrival(origin, header.context);
  Unexpected* const message = messages.unexpected.all().find(
      [&](const Unexpected& each) { return each.origin == origin && each.offer.send_id == send_id; });
  if (message == nullptr) return;
  messages.unexpected.remove(*message);
  discard(*message);
  const SendId id{.send_id = send_id};
  send_control(sender, control_header(header, Kind::cancelled), as_prefix(id));
}

void Engine::cancelled_arrived(int origin, std::uint64_t send_id) {
  SendRequest& send = named_send(origin, Kind::cancelled, send_id);
  if (!send.unanswered() || !send.asked_back) {
    throw wrong_message(origin, Kind::cancelled, "it forgets a message that it was not asked to forget");
  }
  send.status.cancelled = true;
  complete(send);
}

}  // namespace bowline::proto

// SPDX-License-Identifier: BSD-3-Clause
#include "proto/sending/cancelling.hpp"

#include <array>

#include "proto/engine.hpp"

namespace bowline::proto {
namespace {

/// Whether the request is a receive that failed because no message can match it any more.
bool waited_in_vain(const Request& request) noexcept {
  return request.role == Request::Role::receive && request.status.source == any_source &&
         (request.status.error == ErrorClass::proc_aborted || request.status.error == ErrorClass::proc_failed);
}

}  // namespace

std::span<const MessageKind> Cancelling::message_kinds() noexcept {
  static constexpr std::array kinds{
      MessageKind{Kind::cancel, {"cancel", sizeof(SendId), 0, true}, &call<Cancelling, &Cancelling::cancel_arrived>},
      MessageKind{
          Kind::cancelled, {"cancelled", sizeof(SendId), 0, false}, &call<Cancelling, &Cancelling::cancelled_arrived>},
  };
  return kinds;
}

void Cancelling::cancel(Request& request) {
  if (request.active && request.done && waited_in_vain(request)) {
    request.status = {.cancelled = true};
    request.failure.reset();
    return;
  }
  if (request.done || !request.active) return;
  switch (request.role) {
    case Request::Role::special:
      return static_cast<SpecialRequest&>(request).cancel(engine_);
    case Request::Role::receive: {
      auto& receive = static_cast<ReceiveRequest&>(request);
      if (!receive.linked()) return;  // matched
      engine_.matching().queue(receive.context).posted.remove(receive);
      break;
    }
    case Request::Role::send: {
      auto& send = static_cast<SendRequest&>(request);
      if (send.unanswered()) {
        send.asked_back = true;
        return tell(send.peer, Kind::cancel, send.header, as_prefix(SendId{.send_id = send.id}));
      }
      if (send.stage != SendRequest::Stage::queued) return;
      List<SendRequest>::remove(send);
      break;
    }
  }
  request.status.cancelled = true;
  engine_.complete(request);
}

void Cancelling::cancel_arrived(const Arrival& message) {
  const auto id = message.read<SendId>();
  if (id.send_id == no_id) throw message.wrong("it has no id");
  Peer& sender = engine_.peer(message.origin);
  Matching& matching = engine_.matching();
  MatchQueue& queue = matching.queue_of_arrival(message.origin, message.header.context);
  Unexpected* const found = queue.unexpected.all().find(
      [&](const Unexpected& each) { return each.origin == message.origin && each.offer.send_id == id.send_id; });
  if (found == nullptr) return;
  queue.unexpected.remove(*found);
  matching.discard(*found);
  tell(sender, Kind::cancelled, message.header, as_prefix(id));
}

void Cancelling::cancelled_arrived(const Arrival& message) {
  SendRequest& send = named_send(engine_, message, message.read<SendId>().send_id);
  if (!send.unanswered() || !send.asked_back)
    throw message.wrong("it forgets a message that it was not asked to forget");
  send.status.cancelled = true;
  engine_.complete(send);
}

}  // namespace bowline::proto

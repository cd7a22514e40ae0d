// SPDX-License-Identifier: BSD-3-Clause
// Probing: inspects unexpected messages, and removes one for a later receive.
#include "proto/engine.hpp"

namespace bowline::proto {

/// The message that a matching receive would take, and its status; nullptr if none has arrived.
Unexpected* Engine::peek(Match match, Status& status) {
  Unexpected* const message = queue(match.context).unexpected.find(match.source, match.tag);
  if (message != nullptr) {
    status = {.source = message->header.source, .tag = message->header.tag, .bytes = message->bytes};
  } else if (flow_.restrains()) {
    lift_holds(match);
  }
  return message;
}

/// As peek(), but waits for the message. Throws Error if none can arrive any more.
Unexpected& Engine::await(Match match, Status& status) {
  WaitingProbe probe(match);
  probes_.push_back(probe);
  const struct Withdraw {
    WaitingProbe& probe;
    ~Withdraw() { List<WaitingProbe>::remove(probe); }
  } withdraw{probe};
  Unexpected* message = nullptr;
  wait_until([&] { return (message = peek(match, status)) != nullptr || probe.failure != nullptr; },
             {&match_awaited, &match});
  if (message == nullptr) throw Error(*probe.failure);
  return *message;
}

bool Engine::iprobe(Match match, Status& status) {
  if (peek(match, status) != nullptr) return true;
  poll();
  return peek(match, status) != nullptr;
}

Status Engine::probe(Match match) {
  Status status;
  await(match, status);
  return status;
}

/// Removes the message from its queue; the user's handle refers to it then.
Unexpected& Engine::take(Unexpected& message) noexcept {
  queue(message.header.context).unexpected.remove(message);
  message.mark = Unexpected::taken;
  return message;
}

Unexpected& Engine::mprobe(Match match) {
  Status status;
  return take(await(match, status));
}

Unexpected* Engine::improbe(Match match) {
  Status status;
  Unexpected* message = peek(match, status);
  if (message == nullptr) {
    poll();
    message = peek(match, status);
  }
  return message == nullptr ? nullptr : &take(*message);
}

Status Engine::receive(Unexpected& message, const Buffer& buffer) {
  ReceiveRequest receive(message.header.context, message.header.source, message.header.tag, buffer);
  serve(receive, message);
  wait(receive, &receive_awaited);
  if (receive.failure != nullptr) throw Error(*receive.failure);
  return receive.status;
}

Request& Engine::ireceive(Unexpected& message, const Buffer& buffer) {
  ReceiveRequest& receive = new_receive({message.header.context, message.header.source, message.header.tag}, buffer);
  serve(receive, message);
  return receive;
}

}  // namespace bowline::proto

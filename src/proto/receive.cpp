// SPDX-License-Identifier: BSD-3-Clause
// Receiving: matching, and storing short messages.
#include <algorithm>

#include "base/counter.hpp"
#include "proto/engine.hpp"

namespace bowline::proto {
namespace {

Counter unexpected_messages{"unexpected_messages", "messages that arrived before their receive was posted"};

}  // namespace

Status Engine::receive(const Match& match, const Buffer& buffer) {
  ReceiveRequest receive(match.context, match.source, match.tag, buffer);
  MatchQueue& messages = queue(match.context);
  if (!match_unexpected(receive, messages)) messages.post(receive);
  wait(receive);
  if (receive.failure != nullptr) throw Error(*receive.failure);
  return receive.status;
}

Request& Engine::ireceive(const Match& match, const Buffer& buffer) {
  ReceiveRequest& receive = *receive_pool_.make(match.context, match.source, match.tag, buffer);
  MatchQueue& messages = queue(match.context);
  if (!match_unexpected(receive, messages)) messages.post(receive);
  return receive;
}

/// Serves the receive from a message that is already here; false if there is none.
bool Engine::match_unexpected(ReceiveRequest& receive, MatchQueue& messages) {
  if (messages.unexpected().empty()) [[likely]]
    return false;
  Unexpected* const message = messages.find_unexpected(receive.source, receive.tag);
  if (message == nullptr) return false;
  MatchQueue::remove(*message);
  if (static_cast<Kind>(message->header.kind) == Kind::ready_to_send) {
    accept_offer(receive, message->origin, message->header, message->offer);
  } else {
    store(receive, message->header, {message->body.get(), message->bytes});
  }
  unexpected_pool_.destroy(message);
  return true;
}

void Engine::eager_arrived(const transport::Header& header, std::span<const std::byte> body) {
  MatchQueue& receives = queue(header.context);
  if (ReceiveRequest* receive = receives.take_posted(header)) [[likely]]
    return store(*receive, header, body);
  unexpected_messages.add();
  Unexpected& message = *unexpected_pool_.make();
  message.header = header;
  message.bytes = body.size();
  message.body = std::make_unique_for_overwrite<std::byte[]>(body.size());
  std::ranges::copy(body, message.body.get());
  receives.add_unexpected(message);
}

void Engine::store(ReceiveRequest& receive, const transport::Header& header, std::span<const std::byte> body) {
  const std::size_t bytes = std::min(body.size(), receive.buffer.bytes());
  if (receive.buffer.type->contiguous()) {
    if (bytes > 0) std::memcpy(receive.buffer.base, body.data(), bytes);
  } else {
    dtype::unpack(*receive.buffer.type, body.data(), bytes, receive.buffer.base);
  }
  finish_receive(receive, {.source = header.source, .tag = header.tag, .bytes = body.size()});
}

/// Describes the message that a matching receive would get; false if none is here.
bool Engine::peek(const Match& match, Status& status) {
  const Unexpected* const message = queue(match.context).find_unexpected(match.source, match.tag);
  if (message == nullptr) return false;
  status = {.source = message->header.source, .tag = message->header.tag, .bytes = message->bytes};
  return true;
}

bool Engine::iprobe(const Match& match, Status& status) {
  if (peek(match, status)) return true;
  progress();
  return peek(match, status);
}

Status Engine::probe(const Match& match) {
  Status status;
  wait_until([&] { return peek(match, status); });
  return status;
}

}  // namespace bowline::proto

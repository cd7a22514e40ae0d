// SPDX-License-Identifier: BSD-3-Clause
// Receiving: matching, and storing short messages.
#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <string>
#include <vector>

#include "base/counter.hpp"
#include "proto/checks.hpp"
#include "proto/engine.hpp"

namespace bowline::proto {
namespace {

Counter unexpected_messages{"unexpected_messages", "messages that arrived before their receive was posted"};

}  // namespace

/// Posts the receive, which lies on the caller's stack, and waits until it is done.
Status Engine::finish(ReceiveRequest& receive) {
  MatchQueue& messages = queue(receive.context);
  if (messages.unexpected.empty() || !match_unexpected(receive, messages)) [[likely]]
    messages.posted.post(receive);
  wait(receive, &receive_awaited);
  if (receive.failure != nullptr) throw Error(*receive.failure);
  return receive.status;
}

ReceiveRequest& Engine::make_receive(Match match, const Buffer& buffer) {
  ReceiveRequest& receive = new_receive(match, buffer);
  receive.persistent = true;
  receive.active = false;
  return receive;
}

/// Serves the receive from an unexpected message; false if none matches.
bool Engine::match_unexpected(ReceiveRequest& receive, MatchQueue& messages) {
  Unexpected* const message = messages.unexpected.find(receive.source, receive.tag);
  if (message == nullptr) return false;
  messages.unexpected.remove(*message);
  serve(receive, *message);
  return true;
}

/// Serves the receive from a message that was removed from its queue, and frees the message.
void Engine::serve(ReceiveRequest& receive, Unexpected& message) noexcept {
  if (message.kind() == Kind::ready_to_send) {
    accept_offer(receive, message.origin, message.header, message.offer, message.data());
  } else if (message.kind() == Kind::failure) {
    const auto notice = read_prefix<FailureNotice>(message.data());
    fail_receive(receive, message.header, notice, message.data().subspan(sizeof notice));
  } else {
    if (message.kind() == Kind::eager_synchronous) {
      matched_synchronous(message.origin, message.header, message.offer.send_id);
    }
    store(receive, message.header, message.data());
  }
  discard(message);
}

void Engine::eager_arrived(int origin, transport::Header header, std::span<const std::byte> body) {
  MatchQueue& messages = queue_of_arrival(origin, header.context);
  if (ReceiveRequest* const receive = messages.posted.take(header)) [[likely]]
    return store(*receive, header, body);
  add_unexpected(keep(origin, header, body), messages);
}

void Engine::synchronous_arrived(int origin, transport::Header header, std::uint64_t send_id,
                                 std::span<const std::byte> body) {
  check_offered(origin, Kind::eager_synchronous, send_id, body.size());
  peers_[origin];  // connects for the answer now, when an error changes nothing yet
  MatchQueue& messages = queue_of_arrival(origin, header.context);
  if (ReceiveRequest* const receive = messages.posted.take(header)) {
    matched_synchronous(origin, header, send_id);
    return store(*receive, header, body);
  }
  Unexpected& message = keep(origin, header, body);
  message.offer.send_id = send_id;
  add_unexpected(message, messages);
}

/// Makes an unexpected message from a copy of the body.
Unexpected& Engine::keep(int origin, transport::Header header, std::span<const std::byte> body) {
  return with_memory([&]() -> Unexpected& {
    auto copy = body.empty() ? nullptr : std::make_unique_for_overwrite<std::byte[]>(body.size());
    Unexpected& message = *unexpected_pool_.make();
    unexpected_messages.add();
    message.header = header;
    message.origin = origin;
    message.bytes = message.stored = body.size();
    message.body = std::move(copy);
    std::ranges::copy(body, message.body.get());
    return message;
  });
}

void Engine::put_off_message() {
  if (!shortage_.may_end(MemoryShortage::Clock::now())) throw std::bad_alloc();
  throw transport::NotYet(ErrorClass::no_mem, "no memory");  // short: it needs none itself
}

/// Sends `finished`. The peer exists since its message has arrived.
void Engine::matched_synchronous(int origin, transport::Header header, std::uint64_t send_id) noexcept {
  const SendId id{.send_id = send_id};
  send_control(*peers_.known(origin), control_header(header, Kind::finished), as_prefix(id));
}

void Engine::finished_arrived(int origin, std::uint64_t send_id) {
  SendRequest& send = named_send(origin, Kind::finished, send_id);
  if (!send.unanswered()) throw wrong_message(origin, Kind::finished, "its data are being brought");
  complete(send);
}

void Engine::failure_arrived(int origin, transport::Header header, const FailureNotice& notice,
                             std::span<const std::byte> text) {
  if (notice.lost != -1) check_rank(origin, Kind::failure, notice.lost);
  MatchQueue& messages = queue_of_arrival(origin, header.context);
  if (ReceiveRequest* const receive = messages.posted.take(header)) return fail_receive(*receive, header, notice, text);
  std::vector<std::byte> kept(sizeof notice + text.size());
  std::ranges::copy(text, std::ranges::copy(as_prefix(notice), kept.begin()).out);
  add_unexpected(keep(origin, header, kept), messages);
}

void Engine::fail_receive(ReceiveRequest& receive, transport::Header header, const FailureNotice& notice,
                          std::span<const std::byte> text) noexcept {
  receive.status = {.source = header.source, .tag = header.tag, .mark = header.mark, .bytes = 0};
  const auto error_class = notice.error_class == static_cast<std::int32_t>(ErrorClass::proc_aborted)
                               ? ErrorClass::proc_aborted
                               : ErrorClass::other;
  fail(receive, Failure::of([&] {
         return Error(error_class, std::string(reinterpret_cast<const char*>(text.data()), text.size()), notice.lost);
       }));
  end(receive);
}

void Engine::store(ReceiveRequest& receive, transport::Header header, std::span<const std::byte> body) noexcept {
  const std::size_t room = receive.buffer.bytes();
  if (receive.buffer.type->contiguous() && body.size() <= room) [[likely]] {
    if (!body.empty()) std::memcpy(receive.buffer.data(), body.data(), body.size());
    // Member by member: a status assembled on the stack would be read in units of other sizes than it was written in.
    receive.status.source = header.source;
    receive.status.tag = header.tag;
    receive.status.mark = header.mark;
    receive.status.bytes = body.size();
    return end(receive);
  }
  const std::size_t bytes = std::min(body.size(), room);
  if (!receive.buffer.type->contiguous()) {
    dtype::unpack(*receive.buffer.type, body.data(), bytes, receive.buffer.base);
  } else if (bytes > 0) {
    std::memcpy(receive.buffer.data(), body.data(), bytes);
  }
  finish_receive(receive, {.source = header.source, .tag = header.tag, .mark = header.mark, .bytes = body.size()});
}

/// Completes a receive whose data are stored. `message` describes the whole message, of which the buffer may hold only
/// a part. It is a copy, because callers may pass the receive's own status, which this function changes.
void Engine::finish_receive(ReceiveRequest& receive, Status message) noexcept {
  const std::size_t room = receive.buffer.bytes();
  receive.status = message;
  if (message.bytes > room) [[unlikely]] {
    receive.status.bytes = room;
    fail(receive, Failure::of([&] {
           return Error(
               ErrorClass::truncate,
               fmt::format("the message from rank {} with tag {} has {} bytes, but the receive buffer ends after "
                           "{} ({} x {})",
                           message.source, message.tag, message.bytes, room, receive.buffer.count,
                           receive.buffer.type->name()));
         }));
  }
  end(receive);
}

void Engine::end(ReceiveRequest& receive) noexcept {
  if (receive.waiter || receive.detached) [[unlikely]]
    return complete(receive);
  receive.done = true;
}

}  // namespace bowline::proto

// SPDX-License-Identifier: BSD-3-Clause
// Which receive takes a message, and what becomes of a short one.
#include "proto/matching/matching.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "base/counter.hpp"
#include "dtype/datatype.hpp"
#include "dtype/signature.hpp"
#include "proto/engine.hpp"

namespace bowline::proto {
namespace {

const char* name_of(const dtype::Datatype& type) noexcept {
  return *type.name() == '\0' ? "a type without a name" : type.name();
}

/// Whether a message says what kind its data are.
bool tells_type(std::uint32_t context, std::uint16_t mark) noexcept {
  return mark != 0 && mark < dtype::signatures && purpose_of(context) == Purpose::point_to_point;
}

/// " (32-bit integers)"; empty if the message does not say it.
std::string data_of(std::uint32_t context, std::uint16_t mark) {
  return tells_type(context, mark) ? fmt::format(" ({})", dtype::in_words(static_cast<dtype::Signature>(mark))) : "";
}

Counter unexpected_messages(Category::messages, "unexpected_messages",
                            "messages that arrived before their receive was posted");
}  // namespace

// Named as in MPICH, because tools look for these.
Level Matching::unexpected_length(Category::messages, "unexpected_recvq_length", "unexpected_recvq_length_peak",
                                  "messages that have arrived and that no receive has taken");
Level Matching::unexpected_bytes(Category::messages, "unexpected_recvq_buffer_size",
                                 "unexpected_recvq_buffer_size_peak",
                                 "bytes of memory for messages that have arrived and that no receive has taken");

std::span<const MessageKind> Matching::message_kinds() noexcept {
  static constexpr std::array kinds{
      MessageKind{Kind::eager, {"eager", 0, any_length, true}, &call<Matching, &Matching::typed_arrived>},
      MessageKind{Kind::eager_typed, {"eager_typed", 0, any_length, true}, &call<Matching, &Matching::typed_arrived>},
      MessageKind{Kind::eager_synchronous,
                  {"eager_synchronous", sizeof(SendId), any_length, true},
                  &call<Matching, &Matching::synchronous_arrived>},
      MessageKind{Kind::failure,
                  {"failure", sizeof(FailureNotice), any_length, true},
                  &call<Matching, &Matching::failure_arrived>},
  };
  return kinds;
}

ReceiveRequest* Matching::take_posted(MatchQueue& messages, transport::Header header, std::size_t bytes) noexcept {
  ReceiveRequest* const receive = messages.posted.take(header);
  if (receive != nullptr && message_matched.heard()) tell_posted_match(header, bytes, LongWait::any());
  return receive;
}

/// An eager message that says what kind of data it has, or does not take the shortest way, which is eager_arrived().
void Matching::typed_arrived(const Arrival& message) {
  MatchQueue& messages = queue_of_arrival(message.origin, message.header.context);
  if (ReceiveRequest* const receive = take_posted(messages, message.header, message.body.size())) {
    compare_types(*receive, message.header);
    return store(*receive, message.header, message.body);
  }
  add_unexpected(keep(message.origin, message.header, message.body), messages);
}

void Matching::compare_types(ReceiveRequest& receive, transport::Header header) noexcept {
  if (!tells_type(header.context, header.mark)) return;
  const auto theirs = static_cast<dtype::Signature>(header.mark);
  const dtype::Signature mine = dtype::signature_of(*receive.buffer.type);
  if (dtype::may_match(theirs, mine)) return;
  receive.fail(Failure::of([&] {
    return Error(ErrorClass::type,
                 fmt::format("the message from rank {} with tag {} has {}, but the datatype of the receive, {}, has {}",
                             header.source, header.tag, dtype::in_words(theirs), name_of(*receive.buffer.type),
                             dtype::in_words(mine)));
  }));
}

void Matching::for_each_unexpected(const std::function<void(const Unexpected&)>& action) const {
  for (const auto* const queues : {&queues_, &foreign_queues_}) {
    for (const auto& queue : *queues) {
      if (queue == nullptr || queue->refuses()) continue;
      queue->unexpected.all().find([&](const Unexpected& message) {
        action(message);
        return false;  // the next one
      });
    }
  }
}

/// Serves the receive from an unexpected message, or fails it if the queue refuses receives; false if no message
/// matches.
bool Matching::match_unexpected(ReceiveRequest& receive, MatchQueue& messages) {
  if (messages.refuses()) [[unlikely]] {
    receive.fail(messages.refusal());
    engine_.complete(receive);
    return true;
  }
  Unexpected* const message = messages.unexpected.find(receive.source, receive.tag);
  if (message == nullptr) return false;
  messages.unexpected.remove(*message);
  serve(receive, *message);
  return true;
}

void Matching::serve(ReceiveRequest& receive, Unexpected& message) noexcept {
  if (message_matched.heard()) tell_unexpected_match(message);
  if (message.kind() == Kind::eager) {
    store(receive, message.header, message.data());
  } else if (message.kind() == Kind::ready_to_send) {
    engine_.rendezvous().accept_offer(receive, message.origin, message.header, message.offer, message.data());
  } else if (message.kind() == Kind::failure) {
    const auto notice = read_prefix<FailureNotice>(message.data());
    fail_receive(receive, message.header, notice, message.data().subspan(sizeof notice));
  } else {
    if (message.kind() == Kind::eager_synchronous) {
      matched_synchronous(message.origin, message.header, message.offer.send_id);
    }
    compare_types(receive, message.header);
    store(receive, message.header, message.data());
  }
  discard(message);
}

void Matching::synchronous_arrived(const Arrival& message) {
  const auto send_id = message.read<SendId>().send_id;
  check_offered(message, send_id, message.body.size());
  engine_.peer(message.origin);  // connects for the answer now, when an error changes nothing yet
  MatchQueue& messages = queue_of_arrival(message.origin, message.header.context);
  if (ReceiveRequest* const receive = take_posted(messages, message.header, message.body.size())) {
    matched_synchronous(message.origin, message.header, send_id);
    compare_types(*receive, message.header);
    return store(*receive, message.header, message.body);
  }
  Unexpected& kept = keep(message.origin, message.header, message.body);
  kept.offer.send_id = send_id;
  add_unexpected(kept, messages);
}

Unexpected& Matching::keep(int origin, transport::Header header, std::span<const std::byte> body) {
  return engine_.shortage().with_memory([&]() -> Unexpected& {
    auto copy = body.empty() ? nullptr : std::make_unique_for_overwrite<std::byte[]>(body.size());
    Unexpected& message = *messages_.make();
    unexpected_messages.add();
    message.header = header;
    message.origin = origin;
    message.bytes = message.stored = body.size();
    message.body = std::move(copy);
    std::ranges::copy(body, message.body.get());
    return message;
  });
}

void Matching::add_unexpected(Unexpected& message, MatchQueue& messages) noexcept {
  unexpected_length_.grow();
  unexpected_bytes_.grow(message.footprint());
  if (message_unexpected.heard()) tell_unexpected(message);
  engine_.flow().charge(message);
  if (messages.refuses()) [[unlikely]]
    return discard(message);
  messages.unexpected.add(message);
}

void Matching::discard(Unexpected& message) noexcept {
  const std::size_t bytes = message.footprint();
  message.mark = 0;
  messages_.destroy(&message);
  unexpected_length_.shrink();
  unexpected_bytes_.shrink(bytes);
  engine_.flow().refund(bytes);
}

/// Sends `finished`. The peer exists since its message has arrived.
void Matching::matched_synchronous(int origin, transport::Header header, std::uint64_t send_id) noexcept {
  Peer& sender = *engine_.peers().known(origin);
  engine_.rendezvous().tell(sender, Kind::finished, header, as_prefix(SendId{.send_id = send_id}));
}

void Matching::failure_arrived(const Arrival& message) {
  const auto notice = message.read<FailureNotice>();
  if (notice.lost != -1 && (notice.lost < 0 || notice.lost >= engine_.ranks())) {
    throw message.wrong(fmt::format("it speaks of rank {} (0 to {} are allowed)", notice.lost, engine_.ranks() - 1));
  }
  MatchQueue& messages = queue_of_arrival(message.origin, message.header.context);
  if (ReceiveRequest* const receive = messages.posted.take(message.header))
    return fail_receive(*receive, message.header, notice, message.body);
  std::vector<std::byte> kept(sizeof notice + message.body.size());
  std::ranges::copy(message.body, std::ranges::copy(as_prefix(notice), kept.begin()).out);
  add_unexpected(keep(message.origin, message.header, kept), messages);
}

void Matching::fail_receive(ReceiveRequest& receive, transport::Header header, const FailureNotice& notice,
                            std::span<const std::byte> text) noexcept {
  receive.status = {.source = header.source, .tag = header.tag, .mark = header.mark, .bytes = 0};
  const auto told = static_cast<ErrorClass>(notice.error_class);
  const ErrorClass error_class = tells_loss(told) ? told : ErrorClass::other;
  receive.fail(Failure::of([&] {
    return Error(error_class, std::string(reinterpret_cast<const char*>(text.data()), text.size()), notice.lost);
  }));
  end(receive);
}

void Matching::store(ReceiveRequest& receive, transport::Header header, std::span<const std::byte> body) noexcept {
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

void Matching::finish_receive(ReceiveRequest& receive, Status message) noexcept {
  const std::size_t room = receive.buffer.bytes();
  receive.status = message;
  if (message.bytes > room) [[unlikely]] {
    receive.status.bytes = room;
    receive.fail(Failure::of([&] {
      return Error(ErrorClass::truncate,
                   fmt::format("the message from rank {} with tag {} has {} bytes{}, but the receive buffer ends after "
                               "{} ({} x {})",
                               message.source, message.tag, message.bytes, data_of(receive.context, message.mark), room,
                               receive.buffer.count, name_of(*receive.buffer.type)));
    }));
  }
  end(receive);
}

void Matching::end(ReceiveRequest& receive) noexcept {
  if (receive.waiter || receive.detached) [[unlikely]]
    return engine_.complete(receive);
  receive.done = true;
}

}  // namespace bowline::proto

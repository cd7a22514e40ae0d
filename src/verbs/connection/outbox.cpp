// SPDX-License-Identifier: BSD-3-Clause
#include "verbs/connection/outbox.hpp"

#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "verbs/connection/connection.hpp"

namespace bowline::verbs {

Outbox::Outbox(Connection& owner, PeerLink& link, ArrivalProof& arrival, WorkPool& works, CreditPool& credits,
               ConnectionNotes& notes) noexcept
    : owner_(owner),
      link_(link),
      arrival_(arrival),
      works_(works),
      notes_(notes),
      credits_(credits),
      queue_(works, notes) {}

// ---- messages

/// A request with a message in it; nullptr if there is no request left, or no memory.
SendWork* Outbox::prepare(WireKind kind, transport::Header header, std::span<const std::byte> prefix,
                          std::span<const std::byte> body) noexcept {
  SendWork* const work = works_.take(owner_);
  if (work == nullptr) [[unlikely]]
    return nullptr;
  const std::size_t bytes = sizeof(WireHeader) + prefix.size() + body.size();
  std::byte* const to = works_.make_data(*work, bytes);
  if (to == nullptr) [[unlikely]] {
    works_.give_back(*work);
    return nullptr;
  }
  const WireHeader wire{.link = their_link_,
                        .sequence = sent_,
                        .granted = credits_.granted(),
                        .kind = kind,
                        .prefix_bytes = static_cast<std::uint8_t>(prefix.size()),
                        .unused = 0,
                        .message = header};
  std::memcpy(to, &wire, sizeof wire);
  if (!prefix.empty()) std::memcpy(to + sizeof wire, prefix.data(), prefix.size());
  if (!body.empty()) std::memcpy(to + sizeof wire + prefix.size(), body.data(), body.size());
  work->request.opcode = IBV_WR_SEND;
  return work;
}

transport::Post Outbox::send(transport::Header header, std::span<const std::byte> prefix,
                             std::span<const std::byte> body) noexcept {
  if (!link_.is_ready() || !queue_.has_room(kept_for_ourselves)) return transport::Post::retry;
  if (!credits_.allows(sent_)) return transport::Post::retry;
  SendWork* const work = prepare(WireKind::message, header, prefix, body);
  if (work == nullptr) [[unlikely]]
    return transport::Post::retry;
  work->is_message = true;
  work->sequence = sent_++;
  ++notes_.sent;
  credits_.note_told();
  post(*work);
  return transport::Post::done;
}

/// Sends a message without contents, which needs no credit.
bool Outbox::send_own(WireKind kind) noexcept {
  if (!link_.is_ready() || !queue_.has_room()) return false;
  SendWork* const work = prepare(kind, {}, {}, {});
  if (work == nullptr) return false;
  work->is_own = true;
  credits_.note_told();
  if (kind == WireKind::bye) queue_.report_next();
  post(*work);
  return true;
}

bool Outbox::say_bye() noexcept {
  return send_own(WireKind::bye);
}

void Outbox::schedule_credits() noexcept {
  if (!std::exchange(credits_scheduled_, true)) notes_.returning_credits.push_back(&owner_);
}

void Outbox::schedule_message() noexcept {
  message_scheduled_ = true;
  schedule_credits();
}

bool Outbox::return_credits() noexcept {
  const bool needed = message_scheduled_ || credits_.must_tell();
  if (needed && !link_.is_over() && !send_own(WireKind::credits)) return false;
  credits_scheduled_ = message_scheduled_ = false;
  return true;
}

void Outbox::post(SendWork& work) noexcept {
  queue_.push(work);
  flush();
}

void Outbox::flush() noexcept {
  const int refused = queue_.flush(link_);
  if (refused != 0) [[unlikely]]
    owner_.broke(std::strerror(refused), false);
}

// ---- accesses

void Outbox::begin(Waiting& access) noexcept {
  const bool may_go = link_.is_ready() && waiting_.empty();
  const Waiting::Advance advance = may_go ? access.advance() : Waiting::Advance::blocked;
  if (advance != Waiting::Advance::whole) waiting_.push_back(access);
  if (advance == Waiting::Advance::starved) note_room();
  flush();
}

/// Advances all waiting accesses. Returns `whole`, or what the first access waits for.
Waiting::Advance Outbox::advance_all() noexcept {
  Waiting::Advance advance = Waiting::Advance::whole;
  while (!waiting_.empty() && link_.is_ready()) {
    advance = waiting_.front().advance();
    if (advance != Waiting::Advance::whole) break;
    waiting_.pop_front();
  }
  flush();
  return advance;
}

void Outbox::pump() noexcept {
  if (advance_all() == Waiting::Advance::starved) note_room();
}

bool Outbox::use_room() noexcept {
  noted_room_ = advance_all() == Waiting::Advance::starved;
  return !noted_room_;
}

void Outbox::note_room() noexcept {
  if (!std::exchange(noted_room_, true)) notes_.roomy.push_back(&owner_);
}

// ---- the end of requests

void Outbox::hasten() noexcept {
  if (queue_.ends_proven(arrival_) || !link_.is_ready() || !queue_.has_room()) return;
  SendWork* const work = works_.take(owner_);
  if (work == nullptr) return;
  work->is_own = true;
  if (!make_proof(*work)) return works_.give_back(*work);
  queue_.report_next();
  post(*work);
}

void Outbox::completed(SendWork& work) noexcept {
  queue_.complete(work, arrival_);
  if (!waiting_.empty()) note_room();
}

void Outbox::end_all(const Error& failure) noexcept {
  queue_.end_all(failure);
  while (!waiting_.empty()) waiting_.pop_front().fail(failure);
}

// ---- a new queue pair

bool Outbox::lacks_messages(const Handshake& theirs) noexcept {
  return static_cast<std::int32_t>(theirs.received - queue_.oldest_message(sent_)) < 0;
}

void Outbox::start(const Handshake& theirs) noexcept {
  their_link_ = theirs.link;
  their_received_ = theirs.received;
  credits_.start(theirs.granted);
}

void Outbox::repeat() noexcept {
  if (queue_.empty()) return;
  List<SendWork> ended;
  queue_.repeat(their_received_, ended);
  flush();
  // Operations are notified last, because the notified code may send.
  while (!ended.empty()) {
    SendWork& work = ended.pop_front();
    const Failure failure = is_atomic(work) ? Failure::of([this] { return owner_.uncertain_atomic(); }) : Failure();
    queue_.end(work, failure.get());
  }
}

}  // namespace bowline::verbs

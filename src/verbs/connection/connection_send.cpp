// SPDX-License-Identifier: BSD-3-Clause
// What a connection sends.
#include <cstring>
#include <utility>

#include "verbs/connection/connection.hpp"
#include "verbs/verbs_device.hpp"

namespace bowline::verbs {
namespace {

/// The completion of every so many requests is reported; less often costs less, more often frees slots sooner.
constexpr unsigned signal_every = 16;
static_assert(signal_every <= send_depth / 4);

}  // namespace

/// A request with a message in it; nullptr if there is no request left, or no memory.
SendWork* Connection::prepare(WireKind kind, transport::Header header, std::span<const std::byte> prefix,
                              std::span<const std::byte> body) noexcept {
  WorkPool& works = device_.works();
  SendWork* const work = works.take(*this);
  if (work == nullptr) [[unlikely]]
    return nullptr;
  const std::size_t bytes = sizeof(WireHeader) + prefix.size() + body.size();
  std::byte* const to = works.make_data(*work, bytes);
  if (to == nullptr) [[unlikely]] {
    works.give_back(*work);
    return nullptr;
  }
  const WireHeader wire{.link = their_link_,
                        .sequence = sent_,
                        .granted = grant_.granted,
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

transport::Post Connection::send(transport::Header header, std::span<const std::byte> prefix,
                                 std::span<const std::byte> body) noexcept {
  if (state_ != State::ready || in_flight_count_ >= send_depth - kept_for_ourselves) return transport::Post::retry;
  if (sent_ == allowed_) return transport::Post::retry;
  SendWork* const work = prepare(WireKind::message, header, prefix, body);
  if (work == nullptr) [[unlikely]]
    return transport::Post::retry;
  work->is_message = true;
  work->sequence = sent_++;
  grant_.told = grant_.granted;
  post(*work);
  return transport::Post::done;
}

/// Sends a message without contents, which needs no credit.
bool Connection::send_own(WireKind kind) noexcept {
  if (state_ != State::ready || in_flight_count_ == send_depth) return false;
  SendWork* const work = prepare(kind, {}, {}, {});
  if (work == nullptr) return false;
  work->is_own = true;
  grant_.told = grant_.granted;
  if (kind == WireKind::bye) unsignalled_ = signal_every;  // its completion is wanted
  post(*work);
  return true;
}

void Connection::owe() noexcept {
  if (!std::exchange(owes_, true)) device_.note_owing(*this);
}

bool Connection::pay() noexcept {
  const bool needed = owes_message_ || device_.credits().must_tell(grant_);
  if (needed && !is_over() && !send_own(WireKind::credits)) return false;
  owes_ = owes_message_ = false;
  return true;
}

bool Connection::say_bye() noexcept {
  return send_own(WireKind::bye);
}

void Connection::queue(SendWork& work) noexcept {
  if (work.operation != nullptr || work.copy_to != nullptr || ++unsignalled_ >= signal_every) {
    work.request.send_flags |= IBV_SEND_SIGNALED;
    unsignalled_ = 0;
  }
  in_flight_.push_back(work);
  ++in_flight_count_;
  work.request.next = nullptr;
  if (first_queued_ == nullptr) {
    first_queued_ = &work;
  } else {
    last_queued_->request.next = &work.request;
  }
  last_queued_ = &work;
}

/// Hands to the adapter what is queued.
void Connection::flush_queue() noexcept {
  SendWork* const first = std::exchange(first_queued_, nullptr);
  if (first == nullptr) return;
  const int refused = pair_->post(first->request);
  if (refused != 0) [[unlikely]]
    broke(std::strerror(refused), false);
}

void Connection::post(SendWork& work) noexcept {
  queue(work);
  flush_queue();
}

void Connection::hasten() noexcept {
  if (ends_proven() || state_ != State::ready || in_flight_count_ == send_depth) return;
  SendWork* const work = device_.works().take(*this);
  if (work == nullptr) return;
  work->is_own = true;
  if (!make_proof(*work)) return device_.works().give_back(*work);
  unsignalled_ = signal_every;
  post(*work);
}

void Connection::begin(Waiting& access) noexcept {
  const bool done = state_ == State::ready && waiting_.empty() && access.advance();
  if (!done) waiting_.push_back(access);
  flush_queue();
}

void Connection::pump() noexcept {
  while (!waiting_.empty() && state_ == State::ready && waiting_.front().advance()) waiting_.pop_front();
  flush_queue();
}

void Connection::use_room() noexcept {
  noted_room_ = false;
  pump();
}

}  // namespace bowline::verbs

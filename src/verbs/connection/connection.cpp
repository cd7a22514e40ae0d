// SPDX-License-Identifier: BSD-3-Clause
#include "verbs/connection/connection.hpp"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/process_id.hpp"
#include "verbs/verbs_device.hpp"

namespace bowline::verbs {

Connection::Connection(VerbsDevice& device, int peer, std::uint32_t number)
    : device_(device), peer_(peer), number_(number), arrival_(device.adapter().completion_proves_arrival()) {}

// ---- connecting

Hello Connection::hello() {
  if (pair_ == nullptr) {
    pair_ = device_.make_pair(*this);
    pair_number_ = pair_->number();
  }
  if (!std::exchange(admitted_, true)) device_.admit(grant_);
  Hello hello;
  hello.sender = device_.index_at(peer_);
  hello.link = number_;
  hello.epoch = epoch_;
  hello.received = received_;
  hello.granted = grant_.told = grant_.granted;
  if (const RegisteredBlock* const probe = device_.probe(); probe != nullptr) {
    hello.probe_address = reinterpret_cast<std::uintptr_t>(probe->memory());
    hello.probe_key = probe->remote_key();
  }
  pair_->describe(hello);
  return hello;
}

void Connection::connect(const Hello& theirs) {
  if (state_ != State::apart) {
    throw Error(ErrorClass::intern, fmt::format("{} wants to connect a second queue pair", process_name(peer_)));
  }
  if (may_be_lost(theirs)) {
    lose("messages that were sent have not arrived, and are not there any more");
    throw error();
  }
  static_cast<void>(hello());
  const bool receives = pair_->connect(theirs);
  their_link_ = theirs.link;
  their_pair_ = theirs.queue_pair;
  allowed_ = theirs.granted;
  their_received_ = theirs.received;
  arrival_.start(theirs);
  state_ = State::joining;
  if (receives) return can_receive();
  joining_since_ = std::chrono::steady_clock::now();
  device_.note_joining(*this);
}

void Connection::can_receive() noexcept {
  if (state_ != State::joining) return;  // it has broken in the meantime
  pair_number_ = pair_->number();
  state_ = State::known;
}

void Connection::greeted() noexcept {
  if (state_ == State::known && pair_->sends_after_greeting()) set_ready();
}

void Connection::can_send_first() noexcept {
  if (state_ != State::joining) return;
  failed_joins_ = 0;
  can_receive();
  set_ready();
  owes_message_ = true;
  owe();
}

/// The peer can receive, too. Sends again what it has not received through an earlier queue pair.
void Connection::set_ready() noexcept {
  if (state_ != State::known) return;
  state_ = State::ready;
  if (!in_flight_.empty()) replay();
  pump();
}

// ---- events

void Connection::failed(const SendWork&, ibv_wc_status status) noexcept {
  const bool may_pass =
      status == IBV_WC_RETRY_EXC_ERR || status == IBV_WC_RESP_TIMEOUT_ERR || status == IBV_WC_WR_FLUSH_ERR;
  broke(library().wc_status_str(status), may_pass);
}

void Connection::completed(SendWork& work) noexcept {
  failing_ = false;
  if (arrival_.by_completion()) [[likely]] {
    while (&in_flight_.front() != &work) finish(in_flight_.front());
    finish(work);
  } else {
    completed_out_of_order(work);
  }
  if (!waiting_.empty() && !std::exchange(noted_room_, true)) device_.note_room(*this);
}

/// Takes a completed request out of those under way.
void Connection::finish(SendWork& done) noexcept {
  List<SendWork>::remove(done);
  --in_flight_count_;
  if (done.copy_to != nullptr) std::memcpy(done.copy_to, done.slot->memory, done.run.length);
  transport::Operation* const operation = done.operation;
  device_.works().give_back(done);
  if (operation == nullptr) return;
  device_.note_ended();
  operation->ended(nullptr);
}

void Connection::completed_out_of_order(SendWork& work) noexcept {
  for (bool last = false; !last;) {
    SendWork& done = ArrivalProof::oldest_ended(in_flight_, work);
    last = &done == &work;
    arrival_.note(done);
    finish(done);
  }
}

/// Whether the completion of what is under way will prove that everything has arrived.
bool Connection::ends_proven() noexcept {
  return arrival_.by_completion() ? unsignalled_ == 0 : arrival_.comes_with(in_flight_);
}

bool Connection::make_proof(SendWork& work) noexcept {
  return arrival_.make(work, device_.works());
}

/// Whether a message has completed that the peer has not received.
bool Connection::may_be_lost(const Hello& theirs) noexcept {
  const SendWork* const oldest = in_flight_.find([](const SendWork& work) { return work.is_message; });
  const std::uint32_t first = oldest == nullptr ? sent_ : oldest->sequence;
  return static_cast<std::int32_t>(theirs.received - first) < 0;
}

bool Connection::arrived(const WireHeader& header) {
  if (state_ == State::known) [[unlikely]]
    set_ready();  // who sends has connected its queue pair
  if (static_cast<std::int32_t>(header.granted - allowed_) > 0) allowed_ = header.granted;
  if (header.kind != WireKind::message) return false;
  if (static_cast<std::int32_t>(header.sequence - received_) < 0) return false;
  if (header.sequence != received_) {
    throw Error(ErrorClass::intern,
                fmt::format("message {} from {} has come where {} was expected; the connection with "
                            "that rank is given up",
                            header.sequence, process_name(peer_), received_));
  }
  ++received_;
  return true;
}

void Connection::taken() noexcept {
  if (!admitted_) return;  // what it could still send does not count
  device_.credits().taken(grant_);
  if (device_.credits().must_tell(grant_)) owe();
}

void Connection::set_left() noexcept {
  if (state_ == State::lost) return;
  state_ = State::left;
  device_.note_broken(*this);
}

// ---- loss

void Connection::lose(std::string why) noexcept {
  if (is_over()) return;
  state_ = State::lost;
  why_lost_ = std::move(why);
  device_.note_broken(*this);
  device_.note_lost();
  log::info("{} {}", process_name(peer_), loss());
}

void Connection::end_all() noexcept {
  if (!is_over()) return;
  pair_.reset();  // from now on the adapter uses none of the memory of requests
  pair_number_ = 0;
  if (std::exchange(admitted_, false)) device_.credits().dismiss(grant_);
  if (is_idle()) return;
  const Failure failure = Failure::of([this] { return error(); });
  while (!in_flight_.empty()) {
    SendWork& work = in_flight_.pop_front();
    --in_flight_count_;
    transport::Operation* const operation = work.operation;
    device_.works().give_back(work);
    if (operation == nullptr) continue;
    device_.note_ended();
    operation->ended(failure.get());
  }
  while (!waiting_.empty()) waiting_.pop_front().give_up(*failure);
}

std::string Connection::loss() const {
  if (state_ == State::left) return fmt::format("on {} has ended", host());
  return fmt::format("on {} cannot be reached any more over the RDMA adapter {} (\"{}\")", host(),
                     device_.adapter().name(), why_lost_);
}

Error Connection::error() const {
  return {ErrorClass::proc_aborted, fmt::format("{} {}", process_name(peer_), loss())};
}

}  // namespace bowline::verbs

// SPDX-License-Identifier: BSD-3-Clause
#include "verbs/connection/peer_link.hpp"

#include <utility>

namespace bowline::verbs {
namespace {

/// A peer that computes in the meantime lets an attempt of the connection manager fail after seconds.
constexpr unsigned least_joins = 4;

}  // namespace

void PeerLink::adopt(std::unique_ptr<QueuePair> pair) noexcept {
  pair_ = std::move(pair);
  pair_number_ = pair_->number();
}

void PeerLink::drop_pair() noexcept {
  pair_.reset();
  pair_number_ = 0;
}

void PeerLink::describe(Handshake& handshake) const noexcept {
  handshake.epoch = epoch_;
  pair_->describe(handshake);
}

void PeerLink::connect(const Handshake& theirs) {
  const bool receives = pair_->connect(theirs);
  their_pair_ = theirs.queue_pair;
  state_ = State::joining;
  if (receives) return can_receive();
  joining_since_ = Clock::now();
}

void PeerLink::can_receive() noexcept {
  if (state_ != State::joining) return;  // the link has failed in the meantime
  pair_number_ = pair_->number();
  state_ = State::known;
}

bool PeerLink::can_send_first() noexcept {
  if (state_ != State::joining) return false;
  failed_joins_ = 0;
  can_receive();
  return true;
}

bool PeerLink::become_ready() noexcept {
  if (state_ != State::known) return false;
  state_ = State::ready;
  return true;
}

bool PeerLink::note_failure(Clock::time_point now, std::chrono::seconds patience) noexcept {
  if (!std::exchange(failing_, true)) first_failure_ = now;
  if (state_ == State::joining) ++failed_joins_;
  const bool tried_enough = state_ != State::joining || failed_joins_ >= least_joins;
  return tried_enough && now - first_failure_ > patience;
}

void PeerLink::cut(std::string why) noexcept {
  state_ = State::apart;
  why_ = std::move(why);
}

void PeerLink::stop() noexcept {
  if (is_connected()) state_ = State::apart;
  if (pair_ != nullptr) pair_->stop();
}

void PeerLink::begin_epoch(std::uint32_t epoch) noexcept {
  drop_pair();
  epoch_ = epoch;
}

bool PeerLink::leave() noexcept {
  if (state_ == State::lost) return false;
  state_ = State::left;
  return true;
}

bool PeerLink::lose(std::string why) noexcept {
  if (is_over()) return false;
  state_ = State::lost;
  why_ = std::move(why);
  return true;
}

}  // namespace bowline::verbs

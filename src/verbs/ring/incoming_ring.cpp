// SPDX-License-Identifier: BSD-3-Clause
#include "verbs/ring/incoming_ring.hpp"

#include "verbs/connection/connection.hpp"
#include "verbs/ring/ring_pool.hpp"

namespace bowline::verbs {

void IncomingRing::give_to(Connection& owner, std::uint32_t first) noexcept {
  owner_ = &owner;
  taken_ = told_ = taken_at_look_ = first;
  posted_ = static_cast<std::uint8_t>(first);
  posted_known_ = true;
  wanted_open_ = told_open_ = told_place_ = withdrawn_ = false;
}

void IncomingRing::take_back() noexcept {
  owner_ = nullptr;
  clear();  // after the loss of a link there may be something in it
}

RingTicket IncomingRing::tell() noexcept {
  told_ = wanted_open_ ? taken_ + ring_slots : taken_;
  told_open_ = wanted_open_;
  posted_known_ = false;
  told_place_ = true;
  return {.address = reinterpret_cast<std::uintptr_t>(memory_.memory()),
          .key = memory_.remote_key(),
          .unused = 0,
          .zero = {},
          .limit = static_cast<std::uint8_t>(told_),
          .posted = 0};
}

/// The answer to ask(). If the link has failed meanwhile, there is none, and the ring has no owner any more.
void IncomingRing::ended(const Error*) noexcept {
  asking_ = false;
  posted_ = answer_.ticket->posted;
  posted_known_ = true;
  if (owner_ == nullptr) return pool_.put_back(*this);
  if (needs_tending()) owner_->owe();
}

}  // namespace bowline::verbs

// SPDX-License-Identifier: BSD-3-Clause
#include "verbs/ring/ring_pool.hpp"

#include <algorithm>
#include <exception>
#include <new>

#include "base/log.hpp"
#include "verbs/connection/connection.hpp"

namespace bowline::verbs {

void RingPool::heard(Connection& from) noexcept {
  if (++heard_ == messages_per_look) {
    heard_ = 0;
    ++looks_;
    for (IncomingRing* const ring : given_) ring->look();
  }
  RingDemand& demand = from.demand();
  if (demand.look != looks_) demand = {looks_, 0};
  ++demand.messages;
  IncomingRing* ring = from.incoming();
  if (demand.messages < (ring != nullptr ? for_opening : for_a_ring)) return;
  demand.messages = 0;
  if (ring == nullptr) {
    ring = find_free();
    if (ring == nullptr) return make_one_free();
    given_.push_back(ring);
    from.receive_in(*ring);
  }
  if (!ring->is_closed() || ring->is_withdrawn()) return;
  ring->open();
  from.owe();
}

IncomingRing* RingPool::find_free() noexcept {
  if (free_.empty() && all_.size() < most_) {
    try {
      all_.reserve(all_.size() + 1);
      given_.reserve(all_.size() + 1);
      free_.reserve(all_.size() + 1);
      const RingTickets::Place answer = tickets_.take();
      if (answer.ticket == nullptr) throw std::bad_alloc();
      all_.push_back(
          std::make_unique<IncomingRing>(*this, adapter_.make_block(ring_bytes, Adapter::for_peers), answer));
      free_.push_back(all_.back().get());
    } catch (const std::exception& error) {
      log::info("there are {} rings for short messages and no more: {}", all_.size(), error.what());
      most_ = all_.size();
    }
  }
  if (free_.empty()) return nullptr;
  IncomingRing* const ring = free_.back();
  free_.pop_back();
  return ring;
}

/// Withdraws the ring that was used least, if another peer may use it more. One at a time.
void RingPool::make_one_free() noexcept {
  if (given_.size() < all_.size() || std::ranges::any_of(given_, &IncomingRing::is_withdrawn)) return;
  const auto least = std::ranges::min_element(given_, {}, &IncomingRing::use);
  if (least == given_.end() || 2 * (*least)->use() >= for_a_ring) return;
  (*least)->withdraw();
  (*least)->owner()->owe();
}

void RingPool::release(IncomingRing& ring) noexcept {
  std::erase(given_, &ring);
  ring.take_back();
  if (!ring.is_asking()) put_back(ring);
}

}  // namespace bowline::verbs

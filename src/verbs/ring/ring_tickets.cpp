// SPDX-License-Identifier: BSD-3-Clause
#include "verbs/ring/ring_tickets.hpp"

#include <exception>
#include <memory>

#include "base/log.hpp"

namespace bowline::verbs {
namespace {

constexpr std::size_t tickets_at_once = 64;  // a page

}  // namespace

RingTickets::Place RingTickets::take() noexcept {
  if (left_ == 0) {
    try {
      blocks_.reserve(blocks_.size() + 1);
      blocks_.push_back(adapter_.make_block(tickets_at_once * sizeof(RingTicket), Adapter::for_peers));
      left_ = tickets_at_once;
    } catch (const std::exception& error) {
      log::info("short messages to a peer use no ring: {}", error.what());
      return {nullptr, 0, 0};
    }
  }
  std::byte* const place = blocks_.back().memory() + --left_ * sizeof(RingTicket);
  return {std::construct_at(reinterpret_cast<RingTicket*>(place)), blocks_.back().local_key(),
          blocks_.back().remote_key()};
}

}  // namespace bowline::verbs

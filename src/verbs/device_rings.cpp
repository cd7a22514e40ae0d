// SPDX-License-Identifier: BSD-3-Clause
// How a verbs device takes messages out of rings, in order with those of the receive queue.
//
// A message in a ring is taken only if it is the next one of its sender. A message of the receive queue that is not the
// next one shows that those before it are in the ring: an adapter executes a send after the writes before it.
#include <cstring>

#include "base/error.hpp"
#include "verbs/verbs_device.hpp"

namespace bowline::verbs {
namespace {

constexpr unsigned most_at_once = 16;  // messages of one ring in one poll

}  // namespace

/// Leaves all messages where they are while the sink cannot take earlier ones.
void VerbsDevice::poll_rings() noexcept {
  for (IncomingRing* const ring : rings_.given()) {
    for (unsigned count = 0; count < most_at_once && kept_.empty() && take_next(*ring); ++count) continue;
  }
}

/// False if the next message is not there, or if messages of the receive queue come before it.
bool VerbsDevice::take_next(IncomingRing& ring) noexcept {
  const std::span<const std::byte> message = ring.front();
  if (message.empty()) return false;
  Connection& from = *ring.owner();
  WireHeader wire;
  std::memcpy(&wire, message.data(), sizeof wire);
  if (wire.sequence != from.received()) return false;
  deliver_or_lose(from, wire, message.subspan(sizeof wire));
  ring.pop();
  if (ring.needs_tending()) from.owe();
  return true;
}

/// Takes the messages of a sender before the one with this number.
void VerbsDevice::take_before(Connection& from, std::uint32_t sequence) noexcept {
  while (static_cast<std::int32_t>(sequence - from.received()) > 0 && take_next(*from.incoming())) continue;
}

/// Takes everything that is in a sender's ring, which nobody writes any more.
void VerbsDevice::take_rest(Connection& from) noexcept {
  while (from.incoming() != nullptr && take_next(*from.incoming())) continue;
}

/// Makes sure that everything that comes from now on wakes a sleeper: closes the rings. Each message that may still be
/// on its way into a ring makes a completion here after it has come: that of the question how much the peer has
/// claimed. Returns false if this process must not sleep now.
bool VerbsDevice::close_rings() noexcept {
  for (IncomingRing* const ring : rings_.given()) {
    if (!ring->front().empty()) return false;
    ring->close();
    if (ring->needs_tending()) ring->owner()->owe();
  }
  pay_all();
  return !has_duties();  // for lack of room something may be left to tell, and a link may have failed
}

}  // namespace bowline::verbs

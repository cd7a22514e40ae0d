// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "coll/algorithms/slots.hpp"
#include "coll/lengths.hpp"
#include "coll/offers.hpp"

namespace bowline::coll {
namespace {

/// The number from 0 to size - 1 that differs from this one by a multiple of size: without a division.
int wrapped(int member, int size) noexcept {
  return member < size ? member : member - size;
}

/// Takes from every member what it offers to this one, which then stands in `receive`. `block_for(member)` is what this
/// one has for that one; `same`: whether it is the same for all.
template <class BlockFor>
Task exchange(Channel& channel, const Blocks& receive, bool same, BlockFor block_for) {
  Slots& slots = channel.slots();
  const int rank = channel.rank();
  const int size = channel.size();
  const bool common = same || size == 2;
  const Offers offers(slots, common ? 1 : size);
  auto vacant = slots.vacancy();
  co_await vacant;
  for (int step = 1; step < (common ? 2 : size); ++step) {
    const int member = wrapped(rank + step, size);
    offers.put(channel, common ? 0 : member, block_for(member));
  }
  slots.publish(1);
  channel.copy(block_for(rank), receive[rank].data());
  bool borrowed = false;
  int longer = -1;  // the first member that offers more than there is room for
  for (int step = 1; step < size; ++step) {
    const int member = wrapped(rank + size - step, size);
    auto offered = slots.reached(member, 1);
    co_await offered;
    const Offers::Offer offer = offers.get(member, common ? 0 : rank);
    const std::span<std::byte> into = receive[member].first(std::min(offer.bytes, receive[member].size()));
    if (offers.lends(offer.bytes)) {
      slots.read(member, offer.address, into);
      borrowed = true;
    } else {
      channel.copy({offer.address, into.size()}, into.data());
    }
    if (offer.bytes > into.size() && longer < 0) longer = member;
  }
  if (borrowed) slots.publish(2);
  for (int step = 1; step < size; ++step) {  // what is lent is theirs until they have read it
    const int member = wrapped(rank + step, size);
    if (!offers.lends(block_for(member).size())) continue;
    auto read = slots.reached(member, 2);
    co_await read;
  }
  if (longer >= 0) refuse_length(longer, offers.get(longer, common ? 0 : rank).bytes, receive[longer].size());
}

}  // namespace

Task allgather_direct(Channel& channel, const Arguments& arguments) {
  if (!channel.slots().readable()) return allgather_slots(channel, arguments);
  return exchange(channel, arguments.receive, true, [own = arguments.input](int) { return own; });
}

Task alltoall_direct(Channel& channel, const Arguments& arguments) {
  if (!channel.slots().readable()) return alltoall_slots(channel, arguments);
  return exchange(channel, arguments.receive, false,
                  [&send = arguments.send](int member) { return std::span<const std::byte>(send[member]); });
}

}  // namespace bowline::coll

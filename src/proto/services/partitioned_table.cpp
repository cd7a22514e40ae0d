// SPDX-License-Identifier: BSD-3-Clause
// Partitioned communication: arriving messages and lost peers.
#include <fmt/format.h>

#include "proto/checks.hpp"
#include "proto/services/partitioned.hpp"

namespace bowline::proto {
namespace {

/// The request that a message names; nullptr if it has been freed. Throws Error if it never existed.
template <class T>
T* named(const IdTable<T>& table, const Arrival& message, std::uint64_t id) {
  T* const found = table.find(id);
  if (found == nullptr && !table.has_named(id)) {
    throw message.wrong(fmt::format("it speaks of request {:#x}, which there never was", id));
  }
  return found;
}

}  // namespace

const std::array<MessageKind, 5> PartitionedTable::forms{{
    {PartitionedKind::offer,
     {"partitioned_offer", sizeof(PartitionedOffer), 0, true},
     &call<PartitionedTable, &PartitionedTable::offer_arrived>},
    {PartitionedKind::ready,
     {"partitioned_ready", sizeof(PartitionedReady), 0, false},
     &call<PartitionedTable, &PartitionedTable::ready_arrived>},
    {PartitionedKind::data,
     {"partitioned_data", sizeof(Data), any_length, false},
     &call<PartitionedTable, &PartitionedTable::data_arrived>},
    {PartitionedKind::gone,
     {"partitioned_gone", sizeof(PartitionedReady), 0, false},
     &call<PartitionedTable, &PartitionedTable::gone_arrived>},
    {PartitionedKind::released,
     {"partitioned_released", sizeof(PartitionedReleased), 0, false},
     &call<PartitionedTable, &PartitionedTable::released_arrived>},
}};

PartitionedTable& PartitionedTable::of(Engine& engine) {
  return static_cast<PartitionedTable&>(engine.services().of(PartitionedKind::offer));
}

// ---- arriving messages

void PartitionedTable::offer_arrived(const Arrival& message) {
  const auto offer = message.read<PartitionedOffer>();
  check_offered(message, offer.send_id, offer.bytes);
  check_context(engine_, message.origin, message.header.context);
  engine_.peer(message.origin);  // connects for the answer now, when an error changes nothing yet
  const transport::Header header = message.header;
  const auto first = std::ranges::find(unmatched, Match{header.context, header.source, header.tag}, &Unmatched::match);
  if (first == unmatched.end())
    return engine_.shortage().with_memory([&] { offers.push_back({message.origin, header, offer}); });
  PartitionedReceive* const receive = first->receive;
  unmatched.erase(first);
  if (receive == nullptr) return release(message.origin, header, offer.send_id);
  receive->bind(message.origin, offer);
}

void PartitionedTable::release(int origin, transport::Header header, std::uint64_t send_id) noexcept {
  Peer& sender = engine_.peer(origin);  // known, because it has sent the offer
  if (sender.lost() || sender.has_left()) return;
  const PartitionedReleased released{.send_id = send_id};
  tell(sender, PartitionedKind::released, header, as_prefix(released));
}

void PartitionedTable::ready_arrived(const Arrival& message) {
  const auto ready = message.read<PartitionedReady>();
  PartitionedSend* const send = named(sends, message, ready.send_id);
  if (send == nullptr) return tell(engine_.peer(message.origin), PartitionedKind::gone, message.header, message.prefix);
  if (!send->goes_to(message.origin)) throw message.wrong("it speaks of a send to another rank");
  if (ready.receive_id == no_id || !send->may_become_ready()) {
    throw message.wrong("it asks for the same round twice");
  }
  send->receiver_ready(ready.receive_id);
}

void PartitionedTable::data_arrived(const Arrival& message) {
  const auto piece = message.read<Data>();
  PartitionedReceive* const receive = named(receives, message, piece.receive_id);
  if (receive == nullptr) return;
  if (receive->origin() != message.origin) throw message.wrong("it speaks of a receive from another rank");
  if (engine_.interruptions().of(message.header.context) != nullptr) return;  // the round has failed
  if (!receive->data_arrived(piece.offset, message.body)) {
    throw message.wrong(fmt::format("its {} bytes from {} on were not asked for, or have come before",
                                    message.body.size(), piece.offset));
  }
}

void PartitionedTable::gone_arrived(const Arrival& message) {
  const auto gone = message.read<PartitionedReady>();
  PartitionedReceive* const receive = named(receives, message, gone.receive_id);
  if (receive == nullptr) return;
  if (receive->origin() != message.origin) throw message.wrong("it speaks of a receive from another rank");
  receive->sender_freed(gone.send_id);
}

void PartitionedTable::released_arrived(const Arrival& message) {
  PartitionedSend* const send = named(sends, message, message.read<PartitionedReleased>().send_id);
  if (send == nullptr) return;
  if (!send->goes_to(message.origin)) throw message.wrong("it speaks of a send to another rank");
  send->receiver_freed();
}

void PartitionedTable::forget(std::uint32_t context) noexcept {
  std::erase_if(offers, [context](const Offer& each) { return each.header.context == context; });
  std::erase_if(unmatched, [context](const Unmatched& each) { return each.match.context == context; });
}

// ---- lost peers

bool PartitionedTable::awaits(const Peer& peer) const noexcept {
  bool found = false;
  sends.for_each([&](const PartitionedSend& send) { found = found || send.awaits(peer); });
  return found;
}

void PartitionedTable::for_each_waiting(const std::function<void(const Match&, int process)>& action) {
  receives.for_each([&](const PartitionedReceive& receive) {
    if (receive.waits()) action(receive.match(), -1);
  });
}

void PartitionedTable::unheard(const Peer& peer, const Failure& why) noexcept {
  sends.for_each([&](PartitionedSend& send) { send.receiver_lost(peer, why); });
}

void PartitionedTable::unanswered(const Doomed& doomed, const Failure& why) noexcept {
  // A receive that the user has freed removes itself from the table.
  receives.for_each([&](PartitionedReceive& receive) {
    if (receive.waits() && doomed(receive.origin(), receive.match())) receive.sender_lost(why);
  });
}

void PartitionedTable::interrupted(std::uint32_t context, const Failure& why) {
  sends.for_each([&](PartitionedSend& send) {
    if (of_one_communicator(send.context, context)) send.interrupted(why);
  });
  receives.for_each([&](PartitionedReceive& receive) {
    if (receive.waits() && of_one_communicator(receive.match().context, context)) receive.sender_lost(why);
  });
}

}  // namespace bowline::proto

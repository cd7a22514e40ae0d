// SPDX-License-Identifier: BSD-3-Clause
#include "proto/services/address_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>

#include "base/log.hpp"
#include "proto/engine.hpp"

namespace bowline::proto {

std::span<const MessageKind> AddressSearch::message_kinds() noexcept {
  static constexpr std::array kinds{
      MessageKind{address_kind::where_is,
                  {"where_is", sizeof(Sought), 0, false},
                  &call<AddressSearch, &AddressSearch::where_is_arrived>},
      MessageKind{address_kind::address,
                  {"address", sizeof(Sought), any_length, false},
                  &call<AddressSearch, &AddressSearch::address_arrived>},
  };
  return kinds;
}

AddressSearch::AddressSearch(Engine& engine, AddressBook& book) : Service(engine, message_kinds()), book_(book) {}

void AddressSearch::seek(int rank) {
  const int informant = book_.informant(rank);
  if (informant < 0 || engine_.peer(informant).lost()) return;
  log::info("asks rank {} where rank {} is", informant, rank);
  tell(engine_.peer(informant), address_kind::where_is, {}, as_prefix(Sought{rank}));
}

/// The rank that the message is about. Throws Error if there is none.
int AddressSearch::sought_by(const Arrival& message) const {
  const std::int64_t rank = message.read<Sought>().rank;
  if (rank >= 0 && rank < engine_.ranks()) return static_cast<int>(rank);
  throw message.wrong(fmt::format("it speaks of rank {} (0 to {} are allowed)", rank, engine_.ranks() - 1));
}

/// A process that does not know the address asks one that is nearer to the sought rank, and passes the answer on.
void AddressSearch::where_is_arrived(const Arrival& message) {
  const int rank = sought_by(message);
  const int asker = message.origin;
  if (tell_where(asker, rank)) return;
  if (std::ranges::find(askers_, std::pair(rank, asker)) == askers_.end()) askers_.emplace_back(rank, asker);
  try {
    seek(rank);
  } catch (const std::exception& error) {
    log::info("nobody is asked for rank {} where rank {} is: {}", asker, rank, error.what());
  }
}

void AddressSearch::address_arrived(const Arrival& message) {
  const int rank = sought_by(message);
  book_.learned(rank, message.body);
  std::erase_if(askers_, [&](const auto& each) { return each.first == rank && tell_where(each.second, rank); });
}

/// Sends the address of `rank` to `asker`; false if this process does not know the address. If the asker has ended
/// meanwhile, the error is only logged, because it does not concern the call that makes this progress.
bool AddressSearch::tell_where(int asker, int rank) {
  try {
    const std::vector<std::byte> address = book_.address(rank);
    if (address.empty()) return false;
    Peer& peer = engine_.peer(asker);
    if (sizeof(Sought) + address.size() > peer.endpoint->limits().max_body)
      throw Error(ErrorClass::other, fmt::format("its address of {} bytes is too long", address.size()));
    // Not tell(): an address may be longer than what every transport has room for.
    engine_.outbox().send_control(peer, control_header({}, address_kind::address), as_prefix(Sought{rank}), address);
  } catch (const Error& error) {
    log::info("rank {} is not told where rank {} is: {}", asker, rank, error.what());
  }
  return true;
}

}  // namespace bowline::proto

// SPDX-License-Identifier: BSD-3-Clause
#include "verbs/verbs_address.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "base/process_id.hpp"
#include "transport/published.hpp"

namespace bowline::verbs {
namespace {

/// The fixed part; the ports and the places follow.
struct AddressFront {
  std::uint64_t cookie;
  std::uint32_t ports;
  std::uint32_t places;
  std::uint32_t only_managed;
  std::uint32_t longest_message;
};

static_assert(std::has_unique_object_representations_v<AddressFront>);
static_assert(sizeof(PortAddress) == 20 && sizeof(SocketAddress) == 20);

template <class T>
void append(std::vector<std::byte>& to, const T& value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  to.insert(to.end(), bytes.begin(), bytes.end());
}

template <class T>
T take(std::span<const std::byte>& from) {
  T value;
  std::memcpy(static_cast<void*>(&value), from.data(), sizeof value);
  from = from.subspan(sizeof value);
  return value;
}

}  // namespace

transport::Address write_address(const DeviceAddress& address) {
  std::vector<std::byte> bytes;
  append(bytes, AddressFront{address.cookie, static_cast<std::uint32_t>(address.ports.size()),
                             static_cast<std::uint32_t>(address.places.size()), address.only_managed ? 1U : 0U,
                             address.longest_message});
  for (const PortAddress& port : address.ports) append(bytes, port);
  for (const SocketAddress& place : address.places) append(bytes, place);
  append(bytes, address.manager);
  return transport::publish(address.host, bytes);
}

DeviceAddress read_address(int peer, std::span<const std::byte> bytes) {
  const transport::Published published = transport::read_published(peer, bytes, "a verbs");
  DeviceAddress address{.version = published.version,
                        .host = published.host,
                        .cookie = 0,
                        .ports = {},
                        .places = {},
                        .only_managed = false,
                        .longest_message = 0,
                        .manager = {}};
  std::span<const std::byte> rest = published.device;
  const auto wrong = [&] {
    return Error(ErrorClass::intern,
                 fmt::format("{} published a verbs address of {} bytes, which is too short for what "
                             "it announces: do all ranks run the same version of Bowline?",
                             process_name(peer), bytes.size()));
  };
  if (rest.size() < sizeof(AddressFront)) throw wrong();
  const auto front = take<AddressFront>(rest);
  if (rest.size() !=
      std::size_t{front.ports} * sizeof(PortAddress) + (std::size_t{front.places} + 1) * sizeof(SocketAddress))
    throw wrong();
  address.cookie = front.cookie;
  for (std::uint32_t i = 0; i < front.ports; ++i) address.ports.push_back(take<PortAddress>(rest));
  for (std::uint32_t i = 0; i < front.places; ++i) address.places.push_back(take<SocketAddress>(rest));
  address.only_managed = front.only_managed != 0;
  address.longest_message = front.longest_message;
  address.manager = take<SocketAddress>(rest);
  return address;
}

Contact contact_between(const DeviceAddress& one, const DeviceAddress& other) noexcept {
  // The connection manager connects two queue pairs. A device has only one queue pair to itself, which is connected
  // with itself, so the connection manager cannot connect it.
  const bool itself = one.cookie == other.cookie;
  const bool managed = !itself && one.manager.tcp_port != 0 && other.manager.tcp_port != 0;
  const bool only_managed = !itself && (one.only_managed || other.only_managed);
  Contact best = Contact::none;
  for (const PortAddress& from : one.ports) {
    for (const PortAddress& to : other.ports) {
      if (from.fabric != to.fabric) continue;
      const bool direct = !only_managed && connect_directly(from, to);
      best = std::max(best, direct ? Contact::direct : managed ? Contact::managed : Contact::none);
    }
  }
  return best;
}

std::vector<SocketAddress> places_to_try(const DeviceAddress& peer, std::string_view host) {
  std::vector<SocketAddress> places = peer.places;
  if (peer.host == host) {
    std::stable_partition(places.begin(), places.end(), [](const SocketAddress& place) { return place.loopback; });
  } else {
    std::erase_if(places, [](const SocketAddress& place) { return place.loopback; });
  }
  return places;
}

}  // namespace bowline::verbs

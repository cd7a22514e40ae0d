// SPDX-License-Identifier: BSD-3-Clause
#include "verbs/managed/managed_adapters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "verbs/managed/rdmacm_library.hpp"

namespace bowline::verbs {

namespace {

/// The addresses that the port's interface may have, the best ones first.
std::vector<SocketAddress> candidates(const Port& port) {
  std::vector<SocketAddress> places = addresses_of_host();
  std::erase_if(places, [](const SocketAddress& place) { return place.loopback; });
  std::stable_partition(places.begin(), places.end(), [](const SocketAddress& place) { return !place.version_6; });
  const auto own = place_in_gid(port.address);
  if (own.has_value()) places.insert(places.begin(), *own);
  return places;
}

/// Whether the port is the port of the interface with this address.
bool has_address(const Port& port, const EventChannel& channel, const SocketAddress& place) {
  const ManagerId id = make_id(channel, nullptr);
  sockaddr_storage address{};
  write_socket_address(place, address);
  // This call fails if the interface is not that of an RDMA adapter.
  return rdmacm().bind_addr(id.get(), reinterpret_cast<sockaddr*>(&address)) == 0 && id->verbs != nullptr &&
         port.device == library().get_device_name(id->verbs->device) && port.number == id->port_num;
}

}  // namespace

ibv_context* managed_context(const std::string& adapter) {
  int count = 0;
  ibv_context** const list = rdmacm().get_devices(&count);
  if (list == nullptr) {
    throw Error(ErrorClass::other,
                fmt::format("the connection manager opens no RDMA adapters: {}", std::strerror(errno)));
  }
  const std::unique_ptr<ibv_context*, decltype(rdmacm().free_devices)> holder(list, rdmacm().free_devices);
  for (ibv_context* const each : std::span(list, static_cast<std::size_t>(count))) {
    if (adapter == library().get_device_name(each->device)) return each;
  }
  throw Error(ErrorClass::other, fmt::format("the connection manager does not know the RDMA adapter {}", adapter));
}

SocketAddress find_interface(const Port& port) {
  const EventChannel channel = make_event_channel();
  for (const SocketAddress& place : candidates(port)) {
    if (has_address(port, channel, place)) return place;
  }
  throw Error(ErrorClass::other,
              "its queue pairs are connected through librdmacm, which finds no IP address at its network interface: "
              "give it one (on InfiniBand: IPoIB)");
}

}  // namespace bowline::verbs

// SPDX-License-Identifier: BSD-3-Clause
#include "verbs/socket_address.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "base/error.hpp"

namespace bowline::verbs {
namespace {

/// Describes the address of an interface; false unless other hosts, or processes of this host, can use the address.
bool describe_place(const ifaddrs& each, SocketAddress& place) {
  if (each.ifa_addr == nullptr || (each.ifa_flags & IFF_UP) == 0) return false;
  place.loopback = (each.ifa_flags & IFF_LOOPBACK) != 0;
  if (each.ifa_addr->sa_family == AF_INET) {
    const auto& address = reinterpret_cast<const sockaddr_in&>(*each.ifa_addr);
    std::memcpy(place.bytes.data(), &address.sin_addr, sizeof address.sin_addr);
    return true;
  }
  if (each.ifa_addr->sa_family != AF_INET6) return false;
  const auto& address = reinterpret_cast<const sockaddr_in6&>(*each.ifa_addr);
  if (IN6_IS_ADDR_LINKLOCAL(&address.sin6_addr)) return false;
  place.version_6 = true;
  std::memcpy(place.bytes.data(), &address.sin6_addr, sizeof address.sin6_addr);
  return true;
}

}  // namespace

std::vector<SocketAddress> addresses_of_host() {
  ifaddrs* interfaces = nullptr;
  if (getifaddrs(&interfaces) != 0) {
    throw Error(ErrorClass::other,
                fmt::format("asking for the addresses of this host failed: {}", std::strerror(errno)));
  }
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> holder(interfaces, freeifaddrs);
  std::vector<SocketAddress> places;
  for (const ifaddrs* each = interfaces; each != nullptr; each = each->ifa_next) {
    SocketAddress place;
    if (describe_place(*each, place)) places.push_back(place);
  }
  return places;
}

socklen_t write_socket_address(const SocketAddress& place, sockaddr_storage& to) noexcept {
  if (place.version_6) {
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    address.sin6_port = htons(place.tcp_port);
    std::memcpy(&address.sin6_addr, place.bytes.data(), sizeof address.sin6_addr);
    std::memcpy(&to, &address, sizeof address);
    return sizeof address;
  }
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(place.tcp_port);
  std::memcpy(&address.sin_addr, place.bytes.data(), sizeof address.sin_addr);
  std::memcpy(&to, &address, sizeof address);
  return sizeof address;
}

std::string address_text(const SocketAddress& place) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  inet_ntop(place.version_6 ? AF_INET6 : AF_INET, place.bytes.data(), text.data(), text.size());
  return text.data();
}

std::string to_text(const SocketAddress& place) {
  return fmt::format("{} port {}", address_text(place), place.tcp_port);
}

}  // namespace bowline::verbs

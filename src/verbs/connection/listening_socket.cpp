// SPDX-License-Identifier: BSD-3-Clause
#include "verbs/connection/listening_socket.hpp"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.hpp"

namespace bowline::verbs {
namespace {

constexpr int waiting_connections = 4096;
constexpr std::size_t most_places = 16;

Error socket_error(const char* what) {
  return {ErrorClass::other, fmt::format("{} for ranks on other nodes failed: {}", what, std::strerror(errno))};
}

/// Whether the place has the address that the GID of a RoCE port contains.
bool is_of(const SocketAddress& place, const PortAddress& port) {
  if (port.fabric == Fabric::infiniband) return false;
  if (place.version_6) return place.bytes == port.gid;
  return std::equal(place.bytes.begin(), place.bytes.begin() + 4, port.gid.begin() + 12);
}

void send_at_once(int descriptor) noexcept {
  const int on = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);  // a failure only costs time
}

}  // namespace

ListeningSocket::ListeningSocket() : socket_(socket(AF_INET6, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
  sockaddr_storage any{};
  SocketAddress everywhere{.version_6 = true};
  const int off = 0;
  if (!socket_ || setsockopt(socket_.number(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) != 0 ||
      bind(socket_.number(), reinterpret_cast<sockaddr*>(&any), write_socket_address(everywhere, any)) != 0) {
    version_6_ = everywhere.version_6 = false;
    socket_ = Descriptor(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    const socklen_t bytes = write_socket_address(everywhere, any);
    if (!socket_ || bind(socket_.number(), reinterpret_cast<sockaddr*>(&any), bytes) != 0)
      throw socket_error("making a socket");
  }
  if (listen(socket_.number(), waiting_connections) != 0) throw socket_error("listening");
  socklen_t bytes = sizeof any;
  if (getsockname(socket_.number(), reinterpret_cast<sockaddr*>(&any), &bytes) != 0)
    throw socket_error("asking for the port of a socket");
  tcp_port_ =
      ntohs(version_6_ ? reinterpret_cast<sockaddr_in6&>(any).sin6_port : reinterpret_cast<sockaddr_in&>(any).sin_port);
}

std::vector<SocketAddress> ListeningSocket::places(const std::vector<PortAddress>& ports) const {
  std::vector<SocketAddress> places = addresses_of_host();
  std::erase_if(places, [this](const SocketAddress& place) { return place.version_6 && !version_6_; });
  if (places.size() > most_places) places.resize(most_places);
  for (SocketAddress& place : places) place.tcp_port = tcp_port_;
  std::stable_partition(places.begin(), places.end(), [&](const SocketAddress& place) {
    return std::ranges::any_of(ports, [&](const PortAddress& port) { return is_of(place, port); });
  });
  return places;
}

Descriptor ListeningSocket::accept() const noexcept {
  Descriptor accepted(accept4(socket_.number(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (accepted) send_at_once(accepted.number());
  return accepted;
}

Descriptor begin_connecting(const SocketAddress& place) noexcept {
  sockaddr_storage address{};
  const socklen_t bytes = write_socket_address(place, address);
  Descriptor made(socket(place.version_6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!made) return made;
  send_at_once(made.number());
  if (connect(made.number(), reinterpret_cast<sockaddr*>(&address), bytes) == 0 || errno == EINPROGRESS) return made;
  return {};
}

int connecting_error(int descriptor) noexcept {
  int error = 0;
  socklen_t bytes = sizeof error;
  return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &bytes) == 0 ? error : errno;
}

}  // namespace bowline::verbs

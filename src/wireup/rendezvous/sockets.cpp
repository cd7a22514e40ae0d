// SPDX-License-Identifier: BSD-3-Clause
#include "wireup/rendezvous/sockets.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>

#include "base/error.hpp"

namespace bowline::wireup {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds longest_attempt{5};  // for one address, where a firewall may swallow the request

/// Connections of an earlier world, which fade for a minute, keep nobody from listening.
void reuse_address(int descriptor) noexcept {
  constexpr int on = 1;
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
}

bool is_loopback(const sockaddr& address) {
  if (address.sa_family == AF_INET)
    return (ntohl(reinterpret_cast<const sockaddr_in&>(address).sin_addr.s_addr) >> 24) == 127;
  return address.sa_family == AF_INET6 &&
         IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6&>(address).sin6_addr);
}

/// Whether the user means the loopback interface.
bool names_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

/// Where to listen: many hosts know their own name as an address of the loopback interface, where no other host could
/// connect; all their addresses serve then.
sockaddr_storage address_to_serve(const addrinfo& entry, const std::string& host) {
  sockaddr_storage address{};
  std::memcpy(&address, entry.ai_addr, entry.ai_addrlen);
  if (!is_loopback(*entry.ai_addr) || names_loopback(host)) return address;
  if (entry.ai_family == AF_INET) {
    reinterpret_cast<sockaddr_in&>(address).sin_addr.s_addr = htonl(INADDR_ANY);
  } else {
    reinterpret_cast<sockaddr_in6&>(address).sin6_addr = in6addr_any;
  }
  return address;
}

bool is_connected(int descriptor, std::string& problem) {
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) problem = strerror(error);
  return error == 0;
}

bool finish_to_connect(int descriptor, Clock::time_point until, std::string& problem) {
  until = std::min(until, Clock::now() + longest_attempt);
  while (true) {
    pollfd ready{.fd = descriptor, .events = POLLOUT, .revents = 0};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    const int found = poll(&ready, 1, static_cast<int>(std::max<std::int64_t>(left, 0)));
    if (found > 0) return is_connected(descriptor, problem);
    if (found == 0 || errno != EINTR) break;
  }
  problem = strerror(ETIMEDOUT);
  return false;
}

}  // namespace

Addresses::Addresses(const RendezvousLine& line) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int status = getaddrinfo(line.host.c_str(), std::to_string(line.port).c_str(), &hints, &list);
  list_.reset(list);
  if (status != 0) problem_ = fmt::format("{} has no address: {}", line.host, gai_strerror(status));
}

int listen_at(const Addresses& addresses, const RendezvousLine& line) {
  for (const addrinfo* each = addresses.first(); each != nullptr; each = each->ai_next) {
    const int descriptor = socket(each->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor < 0) continue;
    reuse_address(descriptor);
    const sockaddr_storage address = address_to_serve(*each, line.host);
    if (bind(descriptor, reinterpret_cast<const sockaddr*>(&address), each->ai_addrlen) == 0 &&
        listen(descriptor, SOMAXCONN) == 0)
      return descriptor;
    const int error = errno;
    close(descriptor);
    if (error == EADDRINUSE) return -1;
    if (error == EACCES) {
      throw Error(ErrorClass::other, fmt::format("{}: this user may not serve at {}: choose a port of 1024 or above",
                                                 RendezvousLine::variable, line.place()));
    }
  }
  return -1;
}

int connect_to(const Addresses& addresses, Clock::time_point until, std::string& problem) {
  problem = addresses.problem();
  for (const addrinfo* each = addresses.first(); each != nullptr; each = each->ai_next) {
    const int descriptor = socket(each->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor < 0) {
      problem = strerror(errno);
      continue;
    }
    reuse_address(descriptor);
    const int status = connect(descriptor, each->ai_addr, each->ai_addrlen);
    if (status == 0 || (errno == EINPROGRESS && finish_to_connect(descriptor, until, problem))) return descriptor;
    if (errno != EINPROGRESS && status != 0 && problem.empty()) problem = strerror(errno);
    close(descriptor);
  }
  return -1;
}

}  // namespace bowline::wireup

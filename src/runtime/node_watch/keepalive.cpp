// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/node_watch/keepalive.hpp"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "runtime/jobs/port_name.hpp"

namespace bowline::runtime {
namespace {

constexpr std::size_t most_hosts = 4;
/// The watch calls a node silent this long before the limit, so that a waiting rank learns it within the limit. The
/// kernel sends its last probe a second or more before the limit: an answer arrives earlier.
constexpr std::chrono::milliseconds margin{250};
constexpr std::chrono::milliseconds longest_handshake{500};
constexpr int longest_queue = 4096;  // of connections, which stay in it; the kernel may allow fewer

struct FreeInfo {
  void operator()(addrinfo* list) const noexcept { freeaddrinfo(list); }
};

Error failure_of(const char* call) {
  return {ErrorClass::other, fmt::format("{}: {}", call, strerror(errno))};
}

/// A socket for IPv6 and IPv4, or for IPv4 where there is no IPv6.
int listening_socket() {
  const int both = socket(AF_INET6, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  constexpr int no = 0;
  if (both >= 0) setsockopt(both, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
  const int made = both >= 0 ? both : socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  return made >= 0 && listen(made, longest_queue) == 0 ? made : (close(made), -1);
}

std::uint16_t port_of(int descriptor) noexcept {
  sockaddr_storage own{};
  socklen_t size = sizeof own;
  getsockname(descriptor, reinterpret_cast<sockaddr*>(&own), &size);
  return ntohs(own.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(own).sin6_port
                                         : reinterpret_cast<const sockaddr_in&>(own).sin_port);
}

void set(int descriptor, int level, int option, int value) noexcept {
  setsockopt(descriptor, level, option, &value, sizeof value);
}

/// The kernel probes an idle connection so that it fails after `limit` without an answer, after two probes at least
/// where the limit allows that.
void probe_when_idle(int descriptor, std::chrono::seconds limit) noexcept {
  const int seconds = static_cast<int>(limit.count());
  const int interval = std::max(1, seconds / 3);
  const int probes = std::max(1, seconds / interval - 1);
  set(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1);
  set(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, seconds - probes * interval);
  set(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, interval);
  set(descriptor, IPPROTO_TCP, TCP_KEEPCNT, probes);
}

int error_of(int descriptor) noexcept {
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size);
  return error;
}

/// Whether the kernel has given a connection up because nothing came.
bool timed_out(int descriptor) noexcept {
  const int error = error_of(descriptor);
  return error == ETIMEDOUT || error == EHOSTUNREACH || error == ENETUNREACH;
}

}  // namespace

std::vector<std::byte> KeepaliveAddress::bytes() const {
  const std::string text = fmt::format("{} {}", port, fmt::join(hosts, " "));
  const auto all = std::as_bytes(std::span(text));
  return {all.begin(), all.end()};
}

KeepaliveAddress KeepaliveAddress::read(std::span<const std::byte> bytes) {
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  KeepaliveAddress address;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), address.port);
  if (error != std::errc())
    throw Error(ErrorClass::other, fmt::format("\"{}\" is no address for connections that are kept alive", text));
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  while (!text.empty()) {
    text.remove_prefix(1);
    const std::string_view host = text.substr(0, text.find(' '));
    if (!host.empty()) address.hosts.emplace_back(host);
    text.remove_prefix(host.size());
  }
  return address;
}

KeepaliveListener::KeepaliveListener() : descriptor_(listening_socket()) {
  if (descriptor_ < 0) throw failure_of("a socket for connections of other nodes");
  address_ = {port_of(descriptor_), addresses_of_this_node()};
  if (address_.hosts.size() > most_hosts) address_.hosts.resize(most_hosts);
}

KeepaliveListener::~KeepaliveListener() {
  close(descriptor_);
}

Keepalive::Keepalive(const std::string& host, std::uint16_t port, std::chrono::seconds limit)
    : descriptor_(-1), limit_(limit), began_(std::chrono::steady_clock::now()) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  if (getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list) != 0)
    throw Error(ErrorClass::other, fmt::format("\"{}\" is no address", host));
  const std::unique_ptr<addrinfo, FreeInfo> owner(list);
  descriptor_ = socket(list->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor_ < 0) throw failure_of("socket");
  probe_when_idle(descriptor_, limit);
  if (connect(descriptor_, list->ai_addr, list->ai_addrlen) != 0 && errno != EINPROGRESS) state_ = State::closed;
}

Keepalive::~Keepalive() {
  if (descriptor_ >= 0) close(descriptor_);
}

Keepalive::Keepalive(Keepalive&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      limit_(other.limit_),
      state_(other.state_),
      began_(other.began_) {}

Keepalive& Keepalive::operator=(Keepalive&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(limit_, other.limit_);
  std::swap(state_, other.state_);
  std::swap(began_, other.began_);
  return *this;
}

Keepalive::State Keepalive::look() noexcept {
  if (state_ == State::silent || state_ == State::closed) return state_;
  tcp_info info{};
  socklen_t size = sizeof info;
  if (getsockopt(descriptor_, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return state_ = State::closed;
  if (info.tcpi_state == TCP_SYN_SENT) return state_;
  const bool is_open = info.tcpi_state == TCP_ESTABLISHED;
  const std::chrono::milliseconds silence(info.tcpi_last_ack_recv);
  if (is_open && silence < limit_ - margin) return state_ = State::answers;
  if (!is_open && !timed_out(descriptor_)) return state_ = State::closed;
  // Where too many connections wait in a listener's queue, the kernel there may not know a connection that is
  // established here, and then never answers. So only a node counts that has answered a probe.
  const bool has_answered = std::chrono::steady_clock::now() - began_ - silence > longest_handshake;
  return state_ = has_answered ? State::silent : State::closed;
}

}  // namespace bowline::runtime

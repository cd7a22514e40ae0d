// SPDX-License-Identifier: BSD-3-Clause
#include "wireup/pmi/pmi_channel.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "base/error.hpp"

namespace bowline::wireup {
namespace {

/// Far above the limits of the servers: what is longer is no answer.
constexpr std::size_t longest_line = std::size_t{1} << 20;

[[noreturn]] void fail_over_pmi(const std::string& text) {
  throw Error(ErrorClass::other, text);
}

[[noreturn]] void connection_has_ended() {
  fail_over_pmi(
      "the launcher has closed the connection over which it speaks PMI: it has ended, or another program has used the "
      "connection before, as in \"mpiexec sh -c 'first; second'\"; start each MPI program by a command of its own");
}

int connect_to_port(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  if (colon == std::string::npos) fail_over_pmi(fmt::format("PMI_PORT is \"{}\", but it must be HOST:PORT", address));
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int problem = getaddrinfo(address.substr(0, colon).c_str(), address.substr(colon + 1).c_str(), &hints, &list);
  if (problem != 0)
    fail_over_pmi(fmt::format("PMI_PORT is \"{}\", which has no address: {}", address, gai_strerror(problem)));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> holder(list, &freeaddrinfo);
  int error = 0;
  for (const addrinfo* each = list; each != nullptr; each = each->ai_next) {
    const int made = socket(each->ai_family, each->ai_socktype | SOCK_CLOEXEC, each->ai_protocol);
    if (made >= 0 && connect(made, each->ai_addr, each->ai_addrlen) == 0) return made;
    error = errno;
    if (made >= 0) ::close(made);
  }
  fail_over_pmi(
      fmt::format("the launcher's PMI server at {} (PMI_PORT) cannot be reached: {}", address, std::strerror(error)));
}

void await_events(int descriptor, short events, int milliseconds) noexcept {
  pollfd ready{.fd = descriptor, .events = events, .revents = 0};
  poll(&ready, 1, milliseconds);
}

/// What an answer answers, for sentences: "get" of "cmd=get kvsname=...".
std::string_view request_name(std::string_view request) {
  request.remove_prefix(std::string_view("cmd=").size());
  return request.substr(0, request.find(' '));
}

}  // namespace

PmiChannel::PmiChannel(int descriptor) noexcept : descriptor_(descriptor) {
  fcntl(descriptor_, F_SETFD, FD_CLOEXEC);
}

PmiChannel::PmiChannel(const std::string& address) : descriptor_(connect_to_port(address)) {}

PmiLine PmiChannel::ask(const std::string& request, std::string_view answer) {
  if (!tell(request)) connection_has_ended();
  while (true) {
    PmiLine line = receive();
    if (line.command() == answer) return line;
    if (line.command() != "set") {
      fail_over_pmi(fmt::format("the launcher answers \"{}\" to the request \"{}\" over PMI, but it must answer cmd={}",
                                line.text(), request_name(request), answer));
    }
  }
}

PmiLine PmiChannel::call(const std::string& request, std::string_view answer) {
  PmiLine line = ask(request, answer);
  if (line.refuses())
    fail_over_pmi(
        fmt::format("the launcher refuses the request \"{}\" over PMI: \"{}\"", request_name(request), line.text()));
  return line;
}

PmiLine PmiChannel::receive() {
  std::size_t end = 0;
  while ((end = received_.find('\n')) == std::string::npos) {
    if (received_.size() > longest_line)
      fail_over_pmi(fmt::format("the launcher's line over PMI has more than {} bytes", longest_line));
    std::array<char, 4096> piece;
    const ssize_t got = recv(descriptor_, piece.data(), piece.size(), 0);
    if (got > 0) {
      received_.append(piece.data(), static_cast<std::size_t>(got));
    } else if (got < 0 && errno == EAGAIN) {
      await_events(descriptor_, POLLIN, -1);
    } else if (got == 0 && !received_.empty()) {
      fail_over_pmi(fmt::format("the launcher has ended in the middle of a line over PMI, \"{}\"", received_));
    } else if (got == 0 || errno != EINTR) {
      connection_has_ended();
    }
  }
  std::string line = received_.substr(0, end);
  received_.erase(0, end + 1);
  return PmiLine(std::move(line));
}

// The whole line in one piece: Slurm's plugin does not wait for the rest of a line.
bool PmiChannel::tell(const std::string& request) const {
  const std::string line = request + '\n';
  std::string_view left = line;
  while (!left.empty()) {
    const ssize_t sent = send(descriptor_, left.data(), left.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EAGAIN) {
      await_events(descriptor_, POLLOUT, -1);
    } else if (sent < 0 && errno != EINTR) {
      return false;
    }
    if (sent > 0) left.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void PmiChannel::await_reaction(std::chrono::milliseconds patience) const noexcept {
  await_events(descriptor_, POLLIN, static_cast<int>(patience.count()));
}

void PmiChannel::close() noexcept {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

}  // namespace bowline::wireup

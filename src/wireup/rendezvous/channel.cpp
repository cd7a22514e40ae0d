// SPDX-License-Identifier: BSD-3-Clause
#include "wireup/rendezvous/channel.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <span>

#include "base/error.hpp"

namespace bowline::wireup {
namespace {

// A host that has died is noticed half a minute later.
constexpr int quiet_seconds = 15, seconds_between_probes = 5, probes = 3;

void set(int descriptor, int level, int option, int value) noexcept {
  setsockopt(descriptor, level, option, &value, sizeof value);
}

}  // namespace

Channel::Channel(int descriptor, std::size_t longest) noexcept : descriptor_(descriptor), longest_(longest) {
  set(descriptor, IPPROTO_TCP, TCP_NODELAY, 1);
  set(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1);
  set(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, quiet_seconds);
  set(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, seconds_between_probes);
  set(descriptor, IPPROTO_TCP, TCP_KEEPCNT, probes);
}

Channel::Channel(Channel&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      longest_(other.longest_),
      in_(std::move(other.in_)),
      out_(std::move(other.out_)) {}

Channel::~Channel() {
  if (descriptor_ >= 0) close(descriptor_);
}

/// One piece at a time, so that next() sees the length of a stranger's message before its data are kept.
bool Channel::receive() {
  std::array<std::byte, 65536> piece;
  const ssize_t got = recv(descriptor_, piece.data(), piece.size(), MSG_DONTWAIT);
  if (got < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
  append(in_, std::span(piece).first(static_cast<std::size_t>(got)));
  return got > 0;
}

std::optional<std::vector<std::byte>> Channel::next() {
  std::uint64_t size = 0;
  if (in_.size() < sizeof size) return {};
  std::memcpy(&size, in_.data(), sizeof size);
  if (size > longest_) throw Error(ErrorClass::other, "a message of the wire-up is too long");
  if (in_.size() - sizeof size < size) return {};
  const auto begin = in_.begin() + sizeof size, end = begin + static_cast<std::ptrdiff_t>(size);
  std::vector<std::byte> message(begin, end);
  in_.erase(in_.begin(), end);
  return message;
}

void Channel::add(const MessageWriter& message) {
  const std::uint64_t size = message.bytes().size();
  append(out_, std::as_bytes(std::span(&size, 1)));
  append(out_, message.bytes());
}

bool Channel::flush() noexcept {
  std::size_t sent = 0;
  while (sent < out_.size()) {
    const ssize_t took = send(descriptor_, out_.data() + sent, out_.size() - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (took < 0 && errno == EINTR) continue;
    if (took < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (took <= 0) return false;
    sent += static_cast<std::size_t>(took);
  }
  out_.erase(out_.begin(), out_.begin() + static_cast<std::ptrdiff_t>(sent));
  return true;
}

void Channel::shut_down() noexcept {
  shutdown(descriptor_, SHUT_RDWR);
}

}  // namespace bowline::wireup

// SPDX-License-Identifier: BSD-3-Clause
#include "verbs/connection/oob_connection.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

namespace bowline::verbs {
namespace {

/// More than two handshakes of any length; a peer that sends more without an answer is none of ours.
constexpr std::size_t most_unread = 64 << 10;

}  // namespace

void OobConnection::say(std::span<const std::byte> bytes) {
  outgoing_.insert(outgoing_.end(), bytes.begin(), bytes.end());
}

void OobConnection::progress() {
  if (error_ != 0) return;
  if (!connected_) {
    pollfd socket{socket_.number(), POLLOUT, 0};
    if (poll(&socket, 1, 0) <= 0) return;
    error_ = connecting_error(socket_.number());
    if (error_ != 0) return;
    connected_ = true;
  }
  send_outgoing();
  receive_incoming();
}

void OobConnection::send_outgoing() {
  while (!outgoing_.empty()) {
    const ssize_t sent = send(socket_.number(), outgoing_.data(), outgoing_.size(), MSG_NOSIGNAL);
    if (sent < 0) {
      if (errno != EAGAIN && errno != EINTR) error_ = errno;
      return;
    }
    outgoing_.erase(outgoing_.begin(), outgoing_.begin() + sent);
  }
}

void OobConnection::receive_incoming() {
  std::array<std::byte, 2048> bytes;
  while (incoming_.size() < most_unread) {
    const ssize_t received = recv(socket_.number(), bytes.data(), bytes.size(), 0);
    if (received < 0) {
      if (errno != EAGAIN && errno != EINTR) error_ = errno;
      return;
    }
    if (received == 0) {
      error_ = ECONNRESET;
      return;
    }
    incoming_.insert(incoming_.end(), bytes.begin(), bytes.begin() + received);
  }
  error_ = EMSGSIZE;
}

}  // namespace bowline::verbs

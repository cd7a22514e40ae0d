// SPDX-License-Identifier: BSD-3-Clause
#include "wireup/relay_message.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "base/error.hpp"

namespace bowline::wireup {
namespace {

constexpr std::uint64_t longest_message = std::uint64_t{1} << 30;

bool send_all(int connection, std::span<const std::byte> bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t sent = send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
  return true;
}

bool receive_all(int connection, std::span<std::byte> bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t got = recv(connection, bytes.data(), bytes.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

}  // namespace

std::span<const std::byte> MessageReader::take_raw(std::uint64_t size) {
  if (size > bytes_.size() - place_) throw Error(ErrorClass::other, "a message of the wire-up ends too early");
  const std::span<const std::byte> raw = std::span(bytes_).subspan(place_, size);
  place_ += size;
  return raw;
}

bool send_message(int connection, std::span<const std::byte> message) noexcept {
  const std::uint64_t size = message.size();
  return send_all(connection, std::as_bytes(std::span(&size, 1))) && send_all(connection, message);
}

std::optional<std::vector<std::byte>> receive_message(int connection) {
  std::uint64_t size = 0;
  if (!receive_all(connection, std::as_writable_bytes(std::span(&size, 1))) || size > longest_message) return {};
  std::vector<std::byte> message(size);
  if (!receive_all(connection, message)) return {};
  return message;
}

}  // namespace bowline::wireup

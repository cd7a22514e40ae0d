// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/jobs/conversation.hpp"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "runtime/library_version.hpp"

namespace bowline::runtime {
namespace {

// More than any message needs: what 100,000 processes tell of themselves. A longer one is no message.
constexpr std::uint64_t longest_message = std::uint64_t{1} << 32;

[[noreturn]] void broken_off(int error) {
  throw Error(ErrorClass::port,
              fmt::format("the process at the other end of the connection has ended it{}: it may have failed, or may "
                          "have waited as long as it would",
                          error == 0 ? "" : fmt::format(" ({})", strerror(error))));
}

/// Rests until the descriptor may be ready. Throws Error when the wait is over.
void rest(DescriptorWait& wait, int descriptor, short events) {
  if (wait.is_over()) {
    throw Error(ErrorClass::port,
                fmt::format("the process at the other end of the connection has not answered in {} s", wait.limit()));
  }
  wait.rest(descriptor, events);
}

/// Whether a call that would have had to wait is to be repeated; throws Error if it has failed otherwise.
void check_again() {
  if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) broken_off(errno);
}

std::uint64_t this_version() {
  const std::string_view version = library_version();
  return hash_of(std::as_bytes(std::span(version)));
}

}  // namespace

Conversation::~Conversation() {
  if (descriptor_ >= 0 && !lent_) close(descriptor_);
}

void Conversation::send_plain(std::span<const std::byte> bytes, DescriptorWait& wait) const {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(sent));
    } else {
      check_again();
      rest(wait, descriptor_, POLLOUT);
    }
  }
}

void Conversation::receive_plain(std::span<std::byte> bytes, DescriptorWait& wait) const {
  while (!bytes.empty()) {
    const ssize_t received = recv(descriptor_, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (received == 0) broken_off(0);
    if (received > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(received));
    } else {
      check_again();
      rest(wait, descriptor_, POLLIN);
    }
  }
}

void Conversation::send(std::span<const std::byte> message, DescriptorWait& wait) const {
  // In one piece: TCP would hold a second one back until the first is acknowledged.
  const std::uint64_t length = message.size();
  std::vector<std::byte> both(sizeof length + message.size());
  std::memcpy(both.data(), &length, sizeof length);
  std::ranges::copy(message, both.begin() + sizeof length);
  send_plain(both, wait);
}

std::vector<std::byte> Conversation::receive(DescriptorWait& wait) const {
  std::uint64_t length = 0;
  receive_plain(std::as_writable_bytes(std::span(&length, 1)), wait);
  if (length > longest_message) broken_off(EPROTO);
  std::vector<std::byte> message(length);
  receive_plain(message, wait);
  return message;
}

void send_at_once(int descriptor) noexcept {
  constexpr int yes = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

Greeting own_greeting(std::span<const std::byte, Greeting::token_size> token) {
  Greeting greeting{.version = this_version(), .user = geteuid()};
  std::ranges::copy(token, greeting.token);
  return greeting;
}

std::string objection_to(const Greeting& greeting) {
  if (greeting.magic != Greeting().magic) return "the other process does not use Bowline";
  if (greeting.version != this_version()) return "the other process runs another version of Bowline: run one version";
  if (greeting.user != geteuid()) {
    return fmt::format(
        "the other process belongs to the user with the number {}, this one to {}: processes of "
        "different users cannot be connected",
        greeting.user, geteuid());
  }
  return "";
}

}  // namespace bowline::runtime

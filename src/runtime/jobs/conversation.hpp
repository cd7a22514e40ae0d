// SPDX-License-Identifier: BSD-3-Clause
// Conversation: two processes of two jobs, the roots of two communicators that are about to be joined, talk over a
// connected socket, before they can send messages to each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/jobs/descriptor_wait.hpp"

namespace bowline::runtime {

/// Closes its socket unless it is lent.
class Conversation {
 public:
  enum class Socket : std::uint8_t { owned, lent };

  /// `descriptor`: a connected stream socket, blocking or not.
  explicit Conversation(int descriptor, Socket socket = Socket::owned) noexcept
      : descriptor_(descriptor), lent_(socket == Socket::lent) {}
  Conversation(Conversation&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)), lent_(other.lent_) {}
  Conversation& operator=(Conversation&&) = delete;
  ~Conversation();

  // These functions throw Error (port) if the other process ends the conversation or the wait is over. They read
  // nothing beyond what they return.

  /// Sends bytes, whose number the other process knows.
  void send_plain(std::span<const std::byte> bytes, DescriptorWait& wait) const;
  void receive_plain(std::span<std::byte> bytes, DescriptorWait& wait) const;
  /// Sends a message of any length.
  void send(std::span<const std::byte> message, DescriptorWait& wait) const;
  std::vector<std::byte> receive(DescriptorWait& wait) const;

  int descriptor() const noexcept { return descriptor_; }

 private:
  int descriptor_;
  bool lent_;
};

/// Lets a socket of TCP send short messages without delay.
void send_at_once(int descriptor) noexcept;

/// The bytes that come first in a conversation, of a fixed length, so that processes of different versions understand
/// each other that far.
struct Greeting {
  static constexpr std::size_t token_size = 16;

  std::uint64_t magic = 0x31656e696c776f42;  ///< "Bowline1"
  std::uint64_t version = 0;                 ///< equal for equal versions of Bowline; see this_version()
  std::uint64_t user = 0;                    ///< of the process
  std::byte token[token_size]{};             ///< what the process knows, or has drawn by lot
};

/// A greeting of this process.
Greeting own_greeting(std::span<const std::byte, Greeting::token_size> token);
/// Why this process does not talk to one that greets so; empty if it does.
std::string objection_to(const Greeting& greeting);

}  // namespace bowline::runtime

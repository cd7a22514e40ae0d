// SPDX-License-Identifier: BSD-3-Clause
// Channel: messages over a connected socket, without waiting.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "wireup/relay_message.hpp"

namespace bowline::wireup {

/// Owns the socket. One thread may receive while another one sends.
class Channel {
 public:
  /// `longest`: of the messages that may arrive. Makes the socket send at once, and find out when the other host dies.
  Channel(int descriptor, std::size_t longest) noexcept;
  ~Channel();
  Channel(Channel&& other) noexcept;
  Channel& operator=(Channel&&) = delete;

  int descriptor() const noexcept { return descriptor_; }
  void allow(std::size_t longest) noexcept { longest_ = longest; }

  /// Takes a piece of what has arrived. False: the other end is gone.
  bool receive();
  /// The next whole message, without its length. Throws Error if it is longer than allowed.
  std::optional<std::vector<std::byte>> next();
  /// Puts a message behind those that have not left.
  void add(const MessageWriter& message);
  /// Sends as much as the socket takes. False: the other end is gone.
  bool flush() noexcept;
  bool has_output() const noexcept { return !out_.empty(); }
  /// Ends the connection for both ends; the socket stays.
  void shut_down() noexcept;

 private:
  int descriptor_;
  std::size_t longest_;
  std::vector<std::byte> in_, out_;
};

}  // namespace bowline::wireup

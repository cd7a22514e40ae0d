// SPDX-License-Identifier: BSD-3-Clause
// Keepalive: idle TCP connections by which the kernels of two nodes watch each other (RFC 9293, section 3.8.4). The
// kernel of a node answers the probes of another one whatever the processes do: a rank that computes, is stopped, or
// gets no processor is no sign of a loss. Nothing is ever sent, and nobody accepts the connections.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace bowline::runtime {

/// Where a process lets others connect. Travels as text: "40123 10.0.0.7 fd00::7".
struct KeepaliveAddress {
  std::uint16_t port = 0;
  std::vector<std::string> hosts;  ///< the addresses of its node, numeric

  std::vector<std::byte> bytes() const;
  /// Throws Error if the bytes, which another process has published, are no such address.
  static KeepaliveAddress read(std::span<const std::byte> bytes);
};

/// The socket to which others connect. The kernel completes the connections.
class KeepaliveListener {
 public:
  /// Throws Error.
  KeepaliveListener();
  ~KeepaliveListener();
  KeepaliveListener(const KeepaliveListener&) = delete;
  KeepaliveListener& operator=(const KeepaliveListener&) = delete;

  const KeepaliveAddress& address() const noexcept { return address_; }

 private:
  int descriptor_ = -1;
  KeepaliveAddress address_;
};

/// A connection to the listener of a process on another node.
class Keepalive {
 public:
  enum class State : std::uint8_t {
    connecting,
    answers,
    silent,  ///< the node has answered before, and has now not answered for the time limit
    closed,  ///< never connected, or the process that listens has ended: that says nothing about its node
  };

  /// Begins to connect to a numeric address. `limit`: how long the node may be silent; at least 2 s. Throws Error.
  Keepalive(const std::string& host, std::uint16_t port, std::chrono::seconds limit);
  ~Keepalive();
  Keepalive(Keepalive&& other) noexcept;
  Keepalive& operator=(Keepalive&& other) noexcept;

  /// What is known now. A system call as long as the node answers.
  State look() noexcept;

 private:
  int descriptor_;
  std::chrono::milliseconds limit_;
  State state_ = State::connecting;
  std::chrono::steady_clock::time_point began_;
};

}  // namespace bowline::runtime

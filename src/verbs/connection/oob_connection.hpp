// SPDX-License-Identifier: BSD-3-Clause
// OobConnection: a TCP connection on which two processes exchange Handshakes; never waits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "verbs/connection/listening_socket.hpp"
#include "verbs/connection/verbs_wire.hpp"

namespace bowline::verbs {

class OobConnection {
 public:
  /// `connected`: false while the connection is being made.
  OobConnection(Descriptor socket, bool connected) noexcept : socket_(std::move(socket)), connected_(connected) {}

  int descriptor() const noexcept { return socket_.number(); }
  bool connected() const noexcept { return connected_; }
  /// errno of the failure; 0 as long as nothing has failed. ECONNRESET if the peer has closed the connection.
  int error() const noexcept { return error_; }

  /// Queues bytes to be sent. Throws std::bad_alloc.
  void say(std::span<const std::byte> bytes);
  /// Sends and receives what is possible at once. Throws std::bad_alloc.
  void progress();
  /// Whether everything said has been handed to the kernel.
  bool all_said() const noexcept { return outgoing_.empty(); }
  /// What has been heard and not been taken yet.
  std::span<const std::byte> heard() const noexcept { return incoming_; }
  void take(std::size_t bytes) { incoming_.erase(incoming_.begin(), incoming_.begin() + static_cast<long>(bytes)); }

  // What OobExchange remembers of the connection.
  int peer = -1;  ///< the initiator, if it was answered and something more is expected from it
  std::uint32_t epoch = 0;

 private:
  void send_outgoing();
  void receive_incoming();

  Descriptor socket_;
  bool connected_;
  int error_ = 0;
  std::vector<std::byte> outgoing_;
  std::vector<std::byte> incoming_;
};

}  // namespace bowline::verbs

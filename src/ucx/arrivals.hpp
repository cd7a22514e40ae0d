// SPDX-License-Identifier: BSD-3-Clause
// Messages that UCX has received, on their way to the sink: those of each peer in the order in which they were sent, up
// to one that cannot be right, if such a one comes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "transport/transport.hpp"
#include "ucx/ucx_wire.hpp"

namespace bowline::ucx {

class Arrivals {
 public:
  /// `ranks`: how many there are in the world.
  explicit Arrivals(int ranks) noexcept : ranks_(ranks) {}

  /// What is taken from now on goes to the sink. What it could not take before it gets first.
  void begin(transport::Sink& sink) noexcept;
  /// Returns how many messages the sink got since begin().
  unsigned end() const noexcept { return delivered_; }
  /// Nobody is there any more for what comes from now on.
  void stop() noexcept { sink_ = nullptr; }

  /// A message from UCX, whose bytes are gone when this returns: UCX's header, or nothing, and its data. One that is
  /// wrong, or for which there is no memory, breaks its sender's traffic off.
  void take(std::span<const std::byte> header, std::span<const std::byte> data) noexcept;

  /// Whether the sink has to be asked again.
  bool waiting() const noexcept { return !kept_.empty(); }

 private:
  /// A message that came too early, or that the sink could not take yet.
  struct Kept {
    int sender;
    transport::Header header;
    std::size_t prefix_bytes;
    std::vector<std::byte> bytes;
  };
  /// What is known of the messages from one peer.
  struct Incoming {
    std::uint32_t next = 0;               ///< number of the message to be delivered next
    std::map<std::uint32_t, Kept> early;  ///< those that have overtaken it
    bool broken = false;                  ///< nothing more of this peer is delivered
  };

  bool is_known(std::span<const std::byte> front) noexcept;
  void take_in_order(const WireHeader& header, std::span<const std::byte> prefix, std::span<const std::byte> body);
  void deliver(int sender, transport::Header header, std::span<const std::byte> prefix,
               std::span<const std::byte> body);
  void deliver_kept() noexcept;

  int ranks_;
  bool warned_ = false;  ///< of messages without a sender
  transport::Sink* sink_ = nullptr;
  unsigned delivered_ = 0;
  std::deque<Kept> kept_;  ///< to be delivered before anything else, in order
  std::unordered_map<int, Incoming> incoming_;
};

}  // namespace bowline::ucx

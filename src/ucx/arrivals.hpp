// SPDX-License-Identifier: BSD-3-Clause
// Arrivals: messages that UCX has received, on their way to the sink. The messages of each peer are delivered in the
// order in which they were sent. After an invalid message of a peer nothing more of that peer is delivered.
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
  /// Delivers messages from processes 0 to `processes` - 1.
  explicit Arrivals(int processes) noexcept : processes_(processes) {}
  void grow_to(int processes) noexcept { processes_ = processes; }

  /// From now on take() delivers to `sink`. Delivers first the messages that the sink could not take before.
  void begin(transport::Sink& sink) noexcept;
  /// Returns the number of messages that the sink has taken since begin().
  unsigned end() const noexcept { return delivered_; }
  /// The number of messages that sinks have taken so far.
  std::uint64_t taken() const noexcept { return delivered_before_ + delivered_; }
  /// There is no sink any more: from now on take() drops messages.
  void stop() noexcept { sink_ = nullptr; }

  /// Takes a message from UCX. `header`: UCX's header, which may be empty; `data`: UCX's data; both are valid only
  /// during the call. If the message is invalid, or if there is no memory for it, no further message of its sender is
  /// delivered, and the sink is notified (Sink::broken).
  void take(std::span<const std::byte> header, std::span<const std::byte> data) noexcept;

  /// Whether messages are kept because the sink could not take them; begin() tries again.
  bool waiting() const noexcept { return !kept_.empty(); }

 private:
  /// A message that has overtaken others, or that the sink could not take yet.
  struct Kept {
    int sender;
    transport::Header header;
    std::size_t prefix_bytes;
    std::vector<std::byte> bytes;
  };
  /// The state of the messages from one peer.
  struct Incoming {
    std::uint32_t next = 0;               ///< sequence number of the message to deliver next
    std::map<std::uint32_t, Kept> early;  ///< messages that have overtaken an earlier one, by sequence number
    bool broken = false;                  ///< no further message of this peer is delivered
  };

  bool is_known(std::span<const std::byte> front) noexcept;
  void take_in_order(const WireHeader& header, std::span<const std::byte> prefix, std::span<const std::byte> body);
  void deliver(int sender, transport::Header header, std::span<const std::byte> prefix,
               std::span<const std::byte> body);
  void deliver_kept() noexcept;

  int processes_;
  bool warned_ = false;  ///< whether a message without a valid sender has been reported
  transport::Sink* sink_ = nullptr;
  unsigned delivered_ = 0;              ///< since begin()
  std::uint64_t delivered_before_ = 0;  ///< before begin()
  std::deque<Kept> kept_;               ///< messages to be delivered before any other message, in this order
  std::unordered_map<int, Incoming> incoming_;
};

}  // namespace bowline::ucx

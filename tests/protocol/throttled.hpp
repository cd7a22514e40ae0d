// SPDX-License-Identifier: BSD-3-Clause
// A fixture for senders that receivers throttle: the tests give the orders, and end what was announced.
#pragma once

#include <cstdint>
#include <vector>

#include "recording.hpp"

namespace bowline::proto {

class Throttled : public ProtocolTest {
 protected:
  static constexpr std::uint32_t other = make_context(2, 0, Purpose::point_to_point);
  void order(Kind kind, int from = 1, std::uint32_t in = context) {
    transport::Header message{.context = in};
    message.kind = static_cast<std::uint8_t>(kind);
    if (kind == Kind::resume) {
      device.deliver(from, kind, Resume{all_messages}, message);
    } else {
      device.deliver(from, message);
    }
    engine.progress();
  }
  void finish(const Message& announcement) {
    device.deliver(announcement.rank, Kind::finished, SendId{announcement.read<ReadyToSend>().send_id});
  }
  std::vector<int> tags() const {
    std::vector<int> list;
    for (const Message& message : device.sent) list.push_back(message.header.tag);
    return list;
  }
  /// Ends all announced sends.
  void finish_all() {
    const std::vector<Message> sent = device.sent;
    for (const Message& message : sent) {
      if (message.kind() == Kind::ready_to_send) finish(message);
    }
    engine.drain();
  }
  Bytes data = pattern(100);
};

}  // namespace bowline::proto

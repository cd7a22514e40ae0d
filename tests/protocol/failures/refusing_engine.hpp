// SPDX-License-Identifier: BSD-3-Clause
// WrongMessage: an engine that gets messages which no correct peer sends, and what it says to them.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <string>

#include "base/error.hpp"
#include "proto/services/partitioned.hpp"
#include "recording.hpp"

namespace bowline::proto {

class WrongMessage : public ProtocolTest {
 protected:
  static constexpr std::uint32_t parts = with_purpose(context, Purpose::partitioned);

  WrongMessage() { device.readable = false; }

  /// What the engine says to the messages that wait for it; it sends nothing.
  std::string refusal() {
    const std::size_t sent = device.sent.size();
    std::string text = "nothing was refused";
    try {
      for (const Message& message : device.arriving) {
        engine.handle(message.rank, message.header, message.prefix, message.body);
      }
    } catch (const Error& error) {
      EXPECT_EQ(error.error_class(), ErrorClass::intern);
      text = error.what();
    }
    device.arriving.clear();
    EXPECT_EQ(device.sent.size(), sent);
    EXPECT_EQ(text.find("\n"), std::string::npos);
    return text;
  }
  template <class Prefix>
  void expect_refused(int from, Kind kind, const Prefix& prefix, const std::string& what,
                      std::span<const std::byte> body = {}) {
    device.deliver(from, kind, prefix, header(from, 7), body);
    const std::string text = refusal();
    EXPECT_NE(text.find("rank " + std::to_string(from)), std::string::npos) << text;
    EXPECT_NE(text.find(what), std::string::npos) << text;
  }
  void expect_refused(transport::Header wrong, const std::string& what, std::span<const std::byte> body = {}) {
    device.deliver(1, wrong, body);
    const std::string text = refusal();
    EXPECT_NE(text.find("rank 1"), std::string::npos) << text;
    EXPECT_NE(text.find(what), std::string::npos) << text;
  }
  /// A long send to rank 1 that has been announced, and its id.
  Request& announced(std::uint64_t& id) {
    Request& request = isend(1, 7, mine);
    id = latest(Kind::ready_to_send).read<ReadyToSend>().send_id;
    return request;
  }
  Request& synchronous(std::uint64_t& id) {
    Request& request = engine.isend(1, header(0, 7), buffer(little), Mode::synchronous);
    id = latest(Kind::eager_synchronous).read<SendId>().send_id;
    return request;
  }
  /// A long receive from rank 1 that has asked for its pieces.
  Request& asking(ClearToSend& clear) {
    Request& request = ireceive(1, 7, data);
    offer(1, 7, theirs, their_id);
    engine.progress();
    clear = latest(Kind::clear_to_send).read<ClearToSend>();
    return request;
  }
  void finish(Request& request, std::uint64_t id) {
    device.deliver(1, Kind::finished, SendId{id});
    engine.wait(request);
    EXPECT_EQ(request.status.error, ErrorClass::success);
    engine.release(request);
  }

  /// Of the engine or of partitioned communication; nullptr if there is no such kind.
  const Form* form(int kind) { return engine.services().form_of(static_cast<std::uint8_t>(kind)); }

  Bytes mine = pattern(long_bytes, 1);
  Bytes little = pattern(100, 2);
  const Bytes theirs = pattern(long_bytes, 3);
  Bytes data = Bytes(long_bytes, untouched);
};

}  // namespace bowline::proto

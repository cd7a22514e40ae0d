// SPDX-License-Identifier: BSD-3-Clause
// Blocking sends that an exception out of progress leaves before their end: nothing of them stays behind that could be
// used later.
#include <gtest/gtest.h>

#include <stdexcept>

#include "recording.hpp"

namespace bowline::proto {
namespace {

class Interrupted : public ProtocolTest {
 protected:
  struct Interruption : std::runtime_error {
    using std::runtime_error::runtime_error;
  };
  void interrupt_next_wait() {
    device.script.push_back([] { throw Interruption("a part of the library failed"); });
  }
  Bytes data = pattern(100);
  Bytes large = pattern(100'000);
};

TEST_F(Interrupted, ASendThatHasNotLeftIsTakenBack) {
  device.refuse = [](int) { return true; };
  interrupt_next_wait();
  EXPECT_THROW(engine.send(1, header(0, 7), buffer(data)), Interruption);
  device.refuse = nullptr;
  engine.drain();
  EXPECT_TRUE(device.sent.empty());
  engine.send(1, header(0, 8), buffer(data));
  EXPECT_EQ(latest(Kind::eager).header.tag, 8);
}

TEST_F(Interrupted, ASendThatTheReceiverKnowsOfIsCancelled) {
  interrupt_next_wait();
  EXPECT_THROW(engine.send(1, header(0, 7), buffer(large)), Interruption);
  const auto id = latest(Kind::cancel).read<SendId>();
  EXPECT_EQ(device.sent.front().read<ReadyToSend>().send_id, id.send_id);
  device.deliver(1, Kind::cancelled, id);
  engine.drain();
}

TEST_F(Interrupted, ASendThatTheReceiverWantsIsServed) {
  interrupt_next_wait();
  EXPECT_THROW(engine.send(1, header(0, 7), buffer(large)), Interruption);
  const auto id = latest(Kind::cancel).read<SendId>().send_id;
  device.deliver(1, Kind::clear_to_send, ClearToSend{.send_id = id, .receive_id = 77, .bytes = large.size()});
  engine.drain();
  std::size_t sent = 0;
  for (const Message& message : device.sent) {
    if (message.kind() == Kind::data) sent += message.body.size();
  }
  EXPECT_EQ(sent, large.size());
}

TEST_F(Interrupted, ASynchronousSendMayBeAnsweredLater) {
  interrupt_next_wait();
  EXPECT_THROW(engine.send(1, header(0, 7), buffer(data), Mode::synchronous), Interruption);
  device.deliver(1, Kind::finished, latest(Kind::cancel).read<SendId>());
  engine.drain();
}

}  // namespace
}  // namespace bowline::proto

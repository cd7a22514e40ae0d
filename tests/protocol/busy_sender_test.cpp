// SPDX-License-Identifier: BSD-3-Clause
// A sender for which there is always room: it looks now and then all the same, and hears a receiver that wants it to
// pause.
#include <gtest/gtest.h>

#include <algorithm>

#include "proto/sending/bsend_buffer.hpp"
#include "throttled.hpp"

namespace bowline::proto {
namespace {

class BusySender : public Throttled {
 protected:
  static constexpr int many = 1000;  ///< messages, or pieces
};

TEST_F(BusySender, WithRoomForEverythingAReceiverIsHeardBeforeEverythingHasGone) {
  order(Kind::announce_all);
  order(Kind::pause);
  for (int tag = 0; tag < many; ++tag) engine.release(isend(1, tag, data));
  order(Kind::resume);
  const std::size_t burst = device.sent.size();
  EXPECT_GT(burst, 0U);
  EXPECT_LT(burst, many / 4U);
  order(Kind::pause);
  EXPECT_EQ(device.sent.size(), burst) << "it was polled before more was sent";
  EXPECT_FALSE(engine.outbox().waits_for_room());
  order(Kind::resume);
  EXPECT_TRUE(engine.outbox().waits_for_room()) << "else this process might sleep";
  while (engine.outbox().waits_for_room()) engine.progress();
  finish_all();
  for (int tag = 0; tag < many; ++tag) EXPECT_EQ(tags().at(static_cast<std::size_t>(tag)), tag);
}

TEST_F(BusySender, ManyWaitingMessagesForOnePeerDoNotKeepOthersBack) {
  device.refuse = [](int) { return true; };
  for (int tag = 0; tag < many; ++tag) engine.release(isend(1, tag, data));
  engine.release(isend(2, many, data));
  device.refuse = nullptr;
  for (int i = 0; i < 2; ++i) engine.progress();
  const std::vector<int> sent = tags();
  EXPECT_TRUE(std::ranges::find(sent, many) != sent.end()) << "of " << sent.size();
  EXPECT_LT(sent.size(), many / 2U);
  finish_all();
}

TEST_F(BusySender, ALongMessageThatIsStreamedLeavesTimeToLook) {
  Bytes large = pattern(many * 1000);
  device.limits.max_body = 2000;
  engine.release(isend(3, 1, large));
  const auto offer = latest(Kind::ready_to_send).read<ReadyToSend>();
  device.deliver(3, Kind::clear_to_send, ClearToSend{.send_id = offer.send_id, .receive_id = 1, .bytes = large.size()});
  engine.progress();
  EXPECT_GT(device.sent.size(), 2U);
  EXPECT_LT(device.sent.size(), many / 4U);
  engine.drain();
  std::size_t bytes = 0;
  for (const Message& message : device.sent) bytes += message.body.size();
  EXPECT_EQ(bytes, large.size());
}

TEST_F(BusySender, WhoOnlyStartsPersistentSendsLooksToo) {
  SendRequest& send = engine.make_send(1, header(0, 1), buffer(data), Mode::standard);
  device.deliver(1, {.context = context, .kind = static_cast<std::uint8_t>(Kind::announce_all)});
  int gone = 0;
  for (engine.start(send); send.done && gone < many; engine.start(send)) ++gone;
  EXPECT_LT(gone, many / 4);
  finish_all();
  engine.release(send);
}

TEST_F(BusySender, WhoOnlySendsFromABufferLooksToo) {
  BsendBuffer sending;
  sending.attach_automatic();
  device.deliver(1, {.context = context, .kind = static_cast<std::uint8_t>(Kind::announce_all)});
  for (int tag = 0; tag < many; ++tag) sending.send(engine, 1, header(0, tag), buffer(data));
  EXPECT_LT(std::ranges::count(device.sent, Kind::eager, &Message::kind), many / 4);
  finish_all();
}

}  // namespace
}  // namespace bowline::proto

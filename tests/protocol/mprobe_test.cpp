// SPDX-License-Identifier: BSD-3-Clause
// Matched probes: the message leaves the queue, and only its own receive gets it.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "recording.hpp"

namespace bowline::proto {
namespace {

class Mprobe : public ProtocolTest {
 protected:
  Unexpected* improbe(int source, int tag) { return engine.improbe({context, source, tag}); }
  bool anything() {
    Status status;
    return engine.iprobe({context, any_source, any_tag}, status);
  }
  Bytes large = pattern(long_bytes);
};

TEST_F(Mprobe, NothingIsFoundWhereNothingFits) {
  EXPECT_EQ(improbe(any_source, any_tag), nullptr);
  device.deliver(1, header(1, 7), pattern(10));
  EXPECT_EQ(improbe(2, any_tag), nullptr);
  EXPECT_EQ(improbe(1, 8), nullptr);
  EXPECT_TRUE(anything());
}

TEST_F(Mprobe, AMessageIsOutOfReachOfOtherReceives) {
  device.deliver(1, header(1, 7), pattern(10, 1));
  Unexpected* const message = improbe(any_source, any_tag);
  ASSERT_NE(message, nullptr);
  EXPECT_EQ(message->header.source, 1);
  EXPECT_EQ(message->header.tag, 7);
  EXPECT_EQ(message->bytes, 10U);
  EXPECT_EQ(message->mark, Unexpected::taken);
  EXPECT_FALSE(anything());
  Bytes other(10), mine(10);
  Request& posted = ireceive(any_source, any_tag, other);
  EXPECT_FALSE(posted.done);
  const Status status = engine.receive(*message, buffer(mine));
  EXPECT_EQ(status.source, 1);
  EXPECT_EQ(status.tag, 7);
  EXPECT_EQ(mine, pattern(10, 1));
  EXPECT_FALSE(posted.done);
  device.deliver(1, header(1, 7), pattern(10, 2));
  engine.wait(posted);
  EXPECT_EQ(other, pattern(10, 2));
  engine.release(posted);
}

TEST_F(Mprobe, MessagesAreTakenInOrderAndReceivedInAny) {
  for (unsigned i = 0; i < 40; ++i) device.deliver(1, header(1, 7), pattern(10, i));
  std::vector<Unexpected*> messages;
  for (int i = 0; i < 40; ++i) messages.push_back(improbe(1, 7));
  EXPECT_FALSE(anything());
  for (unsigned i = 40; i-- > 0;) {
    ASSERT_NE(messages[i], nullptr);
    Bytes data(10);
    engine.receive(*messages[i], buffer(data));
    EXPECT_EQ(data, pattern(10, i));
  }
}

TEST_F(Mprobe, ABlockingOneWaitsForTheMessageItAsksFor) {
  device.script.push_back([&] { device.deliver(1, header(1, 1), pattern(1)); });
  device.script.push_back([&] { device.deliver(3, header(3, 2), pattern(2)); });
  Unexpected& message = engine.mprobe({context, any_source, 2});
  EXPECT_EQ(message.origin, 3);
  Bytes data(2);
  engine.receive(message, buffer(data));
  EXPECT_EQ(data, pattern(2));
}

TEST_F(Mprobe, AReceivedMessageIsMarkedAsGone) {
  device.deliver(1, header(1, 7), pattern(10));
  Unexpected* const message = improbe(1, 7);
  ASSERT_NE(message, nullptr);
  // The engine's pool keeps the memory, so that a stale handle can be told.
  const volatile std::uint32_t& mark = message->mark;
  EXPECT_EQ(mark, Unexpected::taken);
  Bytes data(10);
  engine.release(engine.ireceive(*message, buffer(data)));
  EXPECT_NE(mark, Unexpected::taken);
  device.deliver(1, header(1, 7), pattern(10));  // the same memory, for a message that nobody has taken
  EXPECT_TRUE(anything());
  EXPECT_NE(mark, Unexpected::taken);
}

TEST_F(Mprobe, AnAnnouncedMessageIsFetchedByItsReceive) {
  offer(2, 7, large, 5);
  Unexpected* const message = improbe(2, any_tag);
  ASSERT_NE(message, nullptr);
  EXPECT_EQ(message->bytes, long_bytes);
  EXPECT_TRUE(device.sent.empty());
  EXPECT_EQ(device.gets, 0U);
  Bytes data(long_bytes);
  Request& request = engine.ireceive(*message, buffer(data));
  engine.wait(request);
  EXPECT_EQ(data, large);
  EXPECT_EQ(latest(Kind::finished).read<SendId>().send_id, 5U);
  engine.release(request);
}

TEST_F(Mprobe, AnAnnouncedMessageComesInPiecesToo) {
  device.readable = false;
  offer(1, 7, large, 5);
  Unexpected* const message = improbe(1, 7);
  ASSERT_NE(message, nullptr);
  Bytes data(long_bytes);
  Request& request = engine.ireceive(*message, buffer(data));
  EXPECT_FALSE(request.done);
  deliver_pieces_of(large, latest(Kind::clear_to_send).read<ClearToSend>());
  engine.wait(request);
  EXPECT_EQ(data, large);
  EXPECT_EQ(request.status.source, 1);
  engine.release(request);
}

TEST_F(Mprobe, ATruncatedOneFailsAndIsGone) {
  device.deliver(1, header(1, 7), pattern(10));
  Unexpected* const message = improbe(1, 7);
  ASSERT_NE(message, nullptr);
  Bytes data(4);
  EXPECT_THROW(engine.receive(*message, buffer(data)), Error);
  EXPECT_EQ(data, pattern(4));
  EXPECT_FALSE(anything());
}

TEST_F(Mprobe, ASynchronousMessageIsAnsweredByItsReceive) {
  device.deliver(1, Kind::eager_synchronous, SendId{6}, header(1, 7), pattern(10));
  Unexpected* const message = improbe(1, 7);
  ASSERT_NE(message, nullptr);
  EXPECT_TRUE(device.sent.empty());
  Bytes data(10);
  engine.receive(*message, buffer(data));
  EXPECT_EQ(latest(Kind::finished).read<SendId>().send_id, 6U);
}

TEST_F(Mprobe, ATakenMessageCannotBeCancelled) {
  offer(1, 7, large, 5);
  Unexpected* const message = improbe(1, 7);
  ASSERT_NE(message, nullptr);
  device.deliver(1, Kind::cancel, SendId{5}, header(1, 7));
  engine.progress();
  EXPECT_TRUE(device.sent.empty());
  Bytes data(long_bytes);
  engine.receive(*message, buffer(data));
  EXPECT_EQ(data, large);
  EXPECT_EQ(device.sent.size(), 1U);
  latest(Kind::finished);
}

}  // namespace
}  // namespace bowline::proto

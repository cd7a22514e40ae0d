// SPDX-License-Identifier: BSD-3-Clause
// Synchronous sends: they end when a receive has matched their message, and not before.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "recording.hpp"
#include "support/setting.hpp"

namespace bowline::proto {
namespace {

class Synchronous : public ProtocolTest {
 protected:
  Request& issend(int to, int tag, Bytes& bytes) {
    return engine.isend(to, header(0, tag), buffer(bytes), Mode::synchronous);
  }
  void arrive(int from, int tag, std::span<const std::byte> body, std::uint64_t send_id) {
    device.deliver(from, Kind::eager_synchronous, SendId{send_id}, header(from, tag), body);
  }
};

// ---- the sender

TEST_F(Synchronous, AShortOneIsOneMessageAndEndsWithItsAnswer) {
  Bytes data = pattern(100);
  Request& request = issend(2, 7, data);
  const Message& message = latest(Kind::eager_synchronous);
  EXPECT_EQ(message.rank, 2);
  EXPECT_EQ(message.header.tag, 7);
  EXPECT_EQ(message.header.context, context);
  EXPECT_EQ(message.body, data);
  for (int i = 0; i < 5; ++i) engine.progress();
  EXPECT_FALSE(request.done);
  device.deliver(2, Kind::finished, message.read<SendId>());
  engine.progress();
  EXPECT_TRUE(request.done);
  EXPECT_EQ(device.sent.size(), 1U);
  engine.release(request);
}

TEST_F(Synchronous, ABlockingOneReturnsWithItsAnswer) {
  Bytes data = pattern(10);
  bool answered = false;
  device.script.push_back([&] {
    answered = true;
    device.deliver(1, Kind::finished, device.sent.at(0).read<SendId>());
  });
  engine.send(1, header(0, 7), buffer(data), Mode::synchronous);
  EXPECT_TRUE(answered);
}

TEST_F(Synchronous, ALongOneIsAnnouncedAsEver) {
  Bytes data = pattern(100'000);
  Request& fetched = issend(1, 1, data);
  device.deliver(1, Kind::finished, SendId{latest(Kind::ready_to_send).read<ReadyToSend>().send_id});
  engine.wait(fetched);
  engine.release(fetched);
  Request& streamed = issend(1, 2, data);
  const auto offer = latest(Kind::ready_to_send).read<ReadyToSend>();
  device.deliver(1, Kind::clear_to_send, ClearToSend{.send_id = offer.send_id, .receive_id = 1, .bytes = data.size()});
  engine.wait(streamed);
  latest(Kind::data);
  engine.release(streamed);
}

TEST_F(Synchronous, ItsPrefixCountsForTheTransportsLimit) {
  const test::Setting setting("eager_limit", "8192");
  device.limits.max_body = 500;
  Bytes fits = pattern(500 - sizeof(SendId));
  Bytes beyond = pattern(500 - sizeof(SendId) + 1);
  Request& one = issend(1, 1, fits);
  device.deliver(1, Kind::finished, latest(Kind::eager_synchronous).read<SendId>());
  Request& two = issend(1, 2, beyond);
  device.deliver(1, Kind::finished, SendId{latest(Kind::ready_to_send).read<ReadyToSend>().send_id});
  engine.wait(one);
  engine.wait(two);
  engine.release(one);
  engine.release(two);
}

TEST_F(Synchronous, WithoutRoomItKeepsItsPlace) {
  Bytes data = pattern(10);
  device.refuse = [](int) { return true; };
  Request& first = isend(1, 1, data);
  Request& second = issend(1, 2, data);
  Request& third = isend(1, 3, data);
  device.refuse = nullptr;
  engine.progress();
  ASSERT_EQ(device.sent.size(), 3U);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(device.sent[static_cast<std::size_t>(i)].header.tag, i + 1);
  EXPECT_TRUE(first.done);
  EXPECT_FALSE(second.done);
  EXPECT_TRUE(third.done);
  device.deliver(1, Kind::finished, device.sent[1].read<SendId>());
  engine.wait(second);
  for (Request* request : {&first, &second, &third}) engine.release(*request);
}

TEST_F(Synchronous, DrainWaitsForTheAnswer) {
  Bytes data = pattern(10);
  engine.release(issend(1, 1, data));
  bool answered = false;
  device.script.push_back([&] {
    answered = true;
    device.deliver(1, Kind::finished, device.sent.at(0).read<SendId>());
  });
  engine.drain();
  EXPECT_TRUE(answered);
}

// ---- the receiver

TEST_F(Synchronous, APostedReceiveAnswersAtOnce) {
  Bytes data(10);
  Request& request = ireceive(1, 7, data);
  arrive(1, 7, pattern(10), 55);
  engine.progress();
  EXPECT_TRUE(request.done);
  EXPECT_EQ(data, pattern(10));
  const Message& answer = latest(Kind::finished);
  EXPECT_EQ(answer.rank, 1);
  EXPECT_EQ(answer.read<SendId>().send_id, 55U);
  engine.release(request);
}

TEST_F(Synchronous, AMessageThatWaitsIsAnsweredWhenItIsReceivedAndNotWhenItIsSeen) {
  arrive(3, 7, pattern(10), 56);
  Status status;
  EXPECT_TRUE(engine.iprobe({context, any_source, any_tag}, status));
  EXPECT_EQ(status.bytes, 10U);
  engine.progress();
  EXPECT_TRUE(device.sent.empty());
  Bytes data(10);
  engine.receive({context, 3, 7}, buffer(data));
  EXPECT_EQ(data, pattern(10));
  EXPECT_EQ(latest(Kind::finished).read<SendId>().send_id, 56U);
  EXPECT_EQ(device.sent.size(), 1U);
}

TEST_F(Synchronous, ATruncatedOneIsAnsweredToo) {
  Bytes data(4);
  Request& request = ireceive(1, 7, data);
  arrive(1, 7, pattern(10), 57);
  engine.wait(request);
  EXPECT_EQ(request.status.error, ErrorClass::truncate);
  EXPECT_EQ(latest(Kind::finished).read<SendId>().send_id, 57U);
  engine.release(request);
}

TEST_F(Synchronous, AnAnswerWithoutRoomComesLater) {
  device.refuse = [](int) { return true; };
  Bytes data(10);
  Request& request = ireceive(1, 7, data);
  arrive(1, 7, pattern(10), 58);
  engine.progress();
  EXPECT_TRUE(request.done);
  EXPECT_TRUE(device.sent.empty());
  device.refuse = nullptr;
  engine.drain();
  EXPECT_EQ(latest(Kind::finished).read<SendId>().send_id, 58U);
  engine.release(request);
}

}  // namespace
}  // namespace bowline::proto

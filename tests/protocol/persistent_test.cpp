// SPDX-License-Identifier: BSD-3-Clause
// Persistent requests: made idle, started any number of times, given back idle or active.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "recording.hpp"

namespace bowline::proto {
namespace {

class Persistent : public ProtocolTest {
 protected:
  Request& make_send(int to, int tag, Bytes& bytes, Mode mode = Mode::standard) {
    return engine.make_send(to, header(0, tag), buffer(bytes), mode);
  }
  Request& make_receive(int source, int tag, Bytes& bytes) {
    return engine.make_receive({context, source, tag}, buffer(bytes));
  }
};

TEST_F(Persistent, AnIdleRequestDoesNothing) {
  Bytes data = pattern(10), target(10);
  Request& send = make_send(1, 7, data);
  Request& receive = make_receive(1, 7, target);
  for (const Request* request : {&send, &receive}) {
    EXPECT_TRUE(request->persistent);
    EXPECT_FALSE(request->active);
  }
  device.deliver(1, header(1, 7), pattern(10));
  engine.progress();
  EXPECT_TRUE(device.sent.empty());
  EXPECT_FALSE(receive.done);
  engine.drain();
  engine.release(send);
  engine.release(receive);
}

TEST_F(Persistent, EachRoundSendsWhatIsInTheBuffer) {
  Bytes data(10);
  Request& send = make_send(1, 7, data);
  for (unsigned round = 0; round < 3; ++round) {
    std::ranges::copy(pattern(10, round), data.begin());
    engine.start(send);
    EXPECT_TRUE(send.active);
    EXPECT_TRUE(send.done);
    EXPECT_EQ(latest(Kind::eager).body, data);
    engine.retire(send);
    EXPECT_FALSE(send.active);
    EXPECT_EQ(send.mark, Request::alive);
  }
  EXPECT_EQ(device.sent.size(), 3U);
  engine.release(send);
}

TEST_F(Persistent, LongRoundsMayEndInDifferentWays) {
  Bytes data = pattern(long_bytes);
  Request& send = make_send(1, 7, data);
  for (int round = 0; round < 4; ++round) {
    engine.start(send);
    EXPECT_FALSE(send.done);
    const auto id = latest(Kind::ready_to_send).read<ReadyToSend>().send_id;
    if (round % 2 == 0) {
      device.deliver(1, Kind::clear_to_send, ClearToSend{.send_id = id, .receive_id = 1, .bytes = 30'000});
    } else {
      device.deliver(1, Kind::finished, SendId{id});
    }
    engine.wait(send);
    std::size_t sent = 0;
    for (const Message& message : device.sent) sent += message.body.size();
    EXPECT_EQ(sent, round % 2 == 0 ? 30'000U : 0U);
    device.sent.clear();
    engine.retire(send);
  }
  engine.release(send);
}

TEST_F(Persistent, ASynchronousSendWaitsInEveryRound) {
  Bytes data = pattern(10);
  Request& send = make_send(1, 7, data, Mode::synchronous);
  for (int round = 0; round < 3; ++round) {
    engine.start(send);
    EXPECT_FALSE(send.done);
    device.deliver(1, Kind::finished, latest(Kind::eager_synchronous).read<SendId>());
    engine.wait(send);
    engine.retire(send);
  }
  engine.release(send);
}

TEST_F(Persistent, ASendWithoutRoomWaitsAndCanBeStartedAgain) {
  Bytes data = pattern(10);
  Request& send = make_send(1, 7, data);
  for (int round = 0; round < 3; ++round) {
    device.refuse = [](int) { return true; };
    engine.start(send);
    EXPECT_FALSE(send.done);
    device.refuse = nullptr;
    engine.wait(send);
    engine.retire(send);
  }
  EXPECT_EQ(device.sent.size(), 3U);
  engine.release(send);
}

TEST_F(Persistent, HolesArePackedAnewInEveryRound) {
  struct DoubleInt {
    double value;
    int index;
  };
  const dtype::Datatype& type = *dtype::predefined_datatype(0x229);
  DoubleInt pair{};
  Request& send = engine.make_send(1, header(0, 7), {reinterpret_cast<std::byte*>(&pair), 1, &type}, Mode::standard);
  for (int round = 1; round < 4; ++round) {
    pair = {round * 1.5, round};
    Bytes packed(12);
    dtype::pack(type, 1, &pair, packed.data());
    engine.start(send);
    engine.wait(send);
    EXPECT_EQ(latest(Kind::eager).body, packed);
    engine.retire(send);
  }
  engine.release(send);
}

TEST_F(Persistent, AReceiveForgetsTheFailureOfTheRoundBefore) {
  Bytes data(10);
  Request& receive = make_receive(any_source, 7, data);
  engine.start(receive);
  device.deliver(1, header(1, 7), pattern(20));
  engine.wait(receive);
  EXPECT_EQ(receive.status.error, ErrorClass::truncate);
  engine.retire(receive);
  engine.start(receive);
  EXPECT_FALSE(receive.done);
  EXPECT_EQ(receive.failure, nullptr);
  device.deliver(2, header(2, 7), pattern(5, 1));
  engine.wait(receive);
  EXPECT_EQ(receive.status.error, ErrorClass::success);
  EXPECT_EQ(receive.status.source, 2);
  EXPECT_EQ(receive.status.bytes, 5U);
  engine.release(receive);
}

TEST_F(Persistent, AReceiveTakesLongMessagesInEveryRound) {
  device.readable = false;
  Bytes data(long_bytes);
  Request& receive = make_receive(1, 7, data);
  for (unsigned round = 0; round < 3; ++round) {
    const Bytes theirs = pattern(long_bytes, round);
    offer(1, 7, theirs, 5);
    engine.progress();
    engine.start(receive);
    deliver_pieces_of(theirs, latest(Kind::clear_to_send).read<ClearToSend>());
    engine.wait(receive);
    EXPECT_EQ(data, theirs);
    engine.retire(receive);
  }
  engine.release(receive);
}

TEST_F(Persistent, AnActiveReceiveThatIsFreedEndsFirst) {
  Bytes data(10);
  Request& receive = make_receive(1, 7, data);
  const volatile std::uint32_t& mark = receive.mark;
  engine.start(receive);
  engine.release(receive);
  EXPECT_EQ(mark, Request::alive);
  device.deliver(1, header(1, 7), pattern(10));
  engine.progress();
  EXPECT_EQ(data, pattern(10));
  EXPECT_NE(mark, Request::alive);
}

TEST_F(Persistent, AnActiveSendThatIsFreedEndsFirst) {
  Bytes data = pattern(long_bytes);
  Request& send = make_send(1, 7, data);
  const volatile std::uint32_t& mark = send.mark;
  engine.start(send);
  engine.release(send);
  EXPECT_EQ(mark, Request::alive);
  device.deliver(1, Kind::finished, SendId{latest(Kind::ready_to_send).read<ReadyToSend>().send_id});
  engine.drain();
  EXPECT_NE(mark, Request::alive);
}

TEST_F(Persistent, ACancelledRoundIsFollowedByANewOne) {
  Bytes data(10);
  Request& receive = make_receive(1, 7, data);
  engine.start(receive);
  engine.cancel(receive);
  EXPECT_TRUE(receive.status.cancelled);
  engine.retire(receive);
  engine.start(receive);
  device.deliver(1, header(1, 7), pattern(10));
  engine.wait(receive);
  EXPECT_FALSE(receive.status.cancelled);
  EXPECT_EQ(data, pattern(10));
  engine.release(receive);
}

TEST_F(Persistent, CancellingAnIdleRequestChangesNothing) {
  Bytes data = pattern(10);
  Request& send = make_send(1, 7, data);
  Request& receive = make_receive(1, 7, data);
  engine.cancel(send);
  engine.cancel(receive);
  engine.start(send);
  engine.wait(send);
  EXPECT_FALSE(send.status.cancelled);
  EXPECT_EQ(device.sent.size(), 1U);
  engine.release(send);
  engine.release(receive);
}

}  // namespace
}  // namespace bowline::proto
